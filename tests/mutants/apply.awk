# SPDX-License-Identifier: GPL-2.0-only
# Applies one mutant of tests/mutants/list to a copy of its source.
# usage: awk -v name=NAME -v root=FOLDER -f apply.awk LIST
# Without a name: prints "NAME FILE" of each. Without root: the file of this one.
# Says what is wrong, and fails, where the text isn't there exactly once.

function fail(text)
{
	print "mutant " name ": " text > "/dev/stderr"
	failed = 1
	exit 1
}

# A regular expression of this text, in which any white space is as good as another.
function pattern(text,    out)
{
	gsub(/[][\\.^$*+?(){}|\/]/, "\\\\&", text)
	gsub(/[ \t\n]+/, "[ \t\n]+", text)
	return text
}

# "FILE" or "FILE after TEXT"
function where(line,    at)
{
	at = index(line, " after ")
	file = at ? substr(line, 1, at - 1) : line
	after = at ? substr(line, at + 7) : ""
}

function mutate(    path, line, text, start, before, rest, hit)
{
	path = root "/" file
	while ((getline line < path) > 0)
		text = text line "\n"
	close(path)
	if (text == "")
		fail("no such file: " file)
	start = after == "" ? 1 : index(text, after)
	if (!start)
		fail(file " has no: " after)
	rest = substr(text, start)
	if (!match(rest, pattern(old)))
		fail(file " has no longer: " old)
	before = substr(text, 1, start - 1) substr(rest, 1, RSTART - 1)
	rest = substr(rest, RSTART + RLENGTH)
	if (after == "" && match(rest, pattern(old)))
		fail(file " has more than one: " old)
	printf "%s%s%s", before, new, rest > path
}

/^#/ || /^$/ { next }
/^\[.*\]$/ {
	found = name != "" && $0 == "[" name "]"
	title = substr($0, 2, length($0) - 2)
	if (name == "" && seen[title]++) {
		name = title
		fail("listed twice")
	}
	header = 1
	next
}
header {
	header = 0
	where($0)
	if (name == "")
		print title, file
	if (!found)
		next
	there = 1
	found_file = file
	found_after = after
	next
}
!found { next }
/^- / { part = "old"; old = substr($0, 3); next }
/^[+] / { part = "new"; new = substr($0, 3); next }
/^  / && part == "old" { old = old "\n" substr($0, 3); next }
/^  / && part == "new" { new = new "\n" substr($0, 3); next }
{ fail("line " NR " is neither old nor new text: " $0) }

END {
	if (failed || name == "")
		exit failed
	file = found_file
	after = found_after
	if (!there)
		fail("no such mutant")
	if (root == "")
		print file
	else if (old == "")
		fail("no old text")
	else
		mutate()
	exit failed
}
