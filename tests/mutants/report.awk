# SPDX-License-Identifier: GPL-2.0-only
# The tables of scripts/mutants, from the known survivors and the lines of results.
# usage: awk -v format=text|markdown -v kinds='vectors ...' -v partial=N \
#	-f report.awk SURVIVORS RESULTS

BEGIN {
	nr_kinds = split(kinds, kind, " ")
	label["vectors"] = "vectors"
	label["records"] = "records of the repository"
	label["twin"] = "naive twin"
	label["recordings"] = "all recordings"
}

FNR == NR {
	if (/^#/ || /^$/)
		next
	at = index($0, ": ")
	why[substr($0, 1, at - 1)] = substr($0, at + 2)
	next
}

{
	name[++n] = $1
	file[$1] = $2
	row[$1] = $0
	if ($3 == "error") {
		errors++
		next
	}
	dead = 0
	for (i = 1; i <= nr_kinds; i++) {
		if ($(i + 2) == "killed") {
			by[i]++
			dead++
			last = i
		}
	}
	if (dead == 1)
		only[last]++
	killed[$1] = dead
	total_killed += dead > 0
}

function judge(    i, m)
{
	for (i = 1; i <= n; i++) {
		m = name[i]
		if (!(m in killed))
			complain(m " could not be tested")
		else if (!killed[m] && !(m in why))
			complain(m " survived, and tests/mutants/survivors does not say why")
		else if (killed[m] && m in why)
			complain(m " is a known survivor, but was killed")
	}
	for (m in why) {
		if (!partial && !(m in row))
			complain(m " is a known survivor, but no mutant")
	}
}

function complain(text)
{
	print "mutants: " text > "/dev/stderr"
	bad = 1
}

function table_row(m, sep,    part, i, line)
{
	split(row[m], part, " ")
	line = ""
	for (i = 3; i <= nr_kinds + 2; i++)
		line = line sep (part[i] == "killed" ? "killed" : part[i] == "passed" ? "" : part[i])
	return line
}

function print_markdown(    i, m, head, rule)
{
	print "<!-- SPDX-License-Identifier: GPL-2.0-only -->"
	print "<!-- made by scripts/mutants --markdown -->"
	print "# Mutants of the wake path\n"
	print "Each mutant is `wake/` with one wrong rule (`tests/mutants/list`); a test that"
	print "fails kills it. " n " mutants, " total_killed " killed, " n - errors - total_killed " survived.\n"
	print "| test | kills | kills alone |"
	print "| --- | ---: | ---: |"
	for (i = 1; i <= nr_kinds; i++)
		print "| " label[kind[i]] " | " by[i] + 0 " | " only[i] + 0 " |"
	print "\n## Survivors\n"
	if (n - errors == total_killed)
		print "None."
	for (i = 1; i <= n; i++) {
		m = name[i]
		if (m in killed && !killed[m])
			print "- `" m "` (" file[m] "): " (m in why ? why[m] : "not known why")
	}
	print "\n## All\n"
	head = "| mutant | file |"
	rule = "| --- | --- |"
	for (i = 1; i <= nr_kinds; i++) {
		head = head " " label[kind[i]] " |"
		rule = rule " --- |"
	}
	print head "\n" rule
	for (i = 1; i <= n; i++)
		print "| " name[i] " | " file[name[i]] table_row(name[i], " | ") " |"
}

function print_text(    i, m)
{
	for (i = 1; i <= nr_kinds; i++)
		printf "%6d killed by %s\n", by[i], label[kind[i]]
	for (i = 1; i <= n; i++) {
		m = name[i]
		if (m in killed && !killed[m])
			print "survivor: " m ": " (m in why ? why[m] : "UNKNOWN")
	}
	print total_killed " killed, " n - errors - total_killed " survived"
}

END {
	if (format == "markdown")
		print_markdown()
	else
		print_text()
	judge()
	exit bad
}
