// SPDX-License-Identifier: GPL-2.0-only
/* What the orders of sim/fair.h have in common: run queues, groups, tunables. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/fair.h"

#define SHARES_MIN	2u		/* MIN_SHARES, MAX_SHARES */
#define SHARES_MAX	(1u << 18)

struct fair_system {
	struct fair_params params;
	uint32_t nr_cpus, nr_groups;
	struct fair_rq *rqs;
	struct sched_group **groups;	/* the root first */
};

/* get_update_sysctl_factor() with its default, logarithmic scaling. */
static uint32_t scaling(uint32_t cpus)
{
	uint32_t factor = 1;

	for (cpus = cpus < 8 ? cpus : 8; cpus > 1; cpus >>= 1)
		factor++;
	return factor;
}

void fair_params_of(const struct wake_version *version, uint32_t cpus, struct fair_params *out)
{
	uint32_t factor = scaling(cpus), v = version->major * 1000u + version->minor;

	memset(out, 0, sizeof(*out));
	sched_load_rules_of(version->major, version->minor, &out->load);
	out->latency = 6000000ull * factor;
	out->min_granularity = 750000ull * factor;
	out->idle_min_granularity = 750000;
	out->wakeup_granularity = 1000000ull * factor;
	out->nr_latency = 8;
	out->wakeup_preemption = 1;
	out->alt_period = out->base_slice = v >= 5013;
	out->set_clears_buddies = v >= 5014;
	out->idle_groups = v >= 5015;
	out->idle_entities = v >= 5016;
	out->slice_limit = v >= 6003;
}

static int add_group(struct fair_system *system, struct sched_group *parent, uint64_t shares,
		     uint32_t idle, struct sched_group **out)
{
	struct sched_group **groups;
	int err;

	groups = realloc(system->groups, (system->nr_groups + 1) * sizeof(struct sched_group *));
	if (!groups)
		return -ENOMEM;
	system->groups = groups;
	err = sched_group_create(parent, system->nr_cpus, shares, idle, &system->rqs[0].load,
				 sizeof(*system->rqs), out);
	if (!err)
		groups[system->nr_groups++] = *out;
	return err;
}

int fair_system_create(uint32_t nr_cpus, const uint16_t *capacity, const struct fair_params *params,
		       struct fair_system **out, struct fair_rq **rqs)
{
	struct fair_system *system = calloc(1, sizeof(*system));
	struct sched_group *root;

	if (!system)
		return -ENOMEM;
	system->params = *params;
	system->nr_cpus = nr_cpus;
	system->rqs = aligned_alloc(_Alignof(struct fair_rq), nr_cpus * sizeof(*system->rqs));
	if (!system->rqs)
		goto no_memory;
	memset(system->rqs, 0, nr_cpus * sizeof(*system->rqs));
	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
		struct fair_rq *rq = &system->rqs[cpu];

		sched_load_rq_init(&rq->load, cpu, capacity[cpu], &system->params.load);
		rq->params = &system->params;
		rq->cpu = cpu;
	}
	if (add_group(system, NULL, SCHED_NICE_0_LOAD, 0, &root))
		goto no_memory;
	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++)
		system->rqs[cpu].root = system->rqs[cpu].load.root;
	*out = system;
	*rqs = system->rqs;
	return 0;
no_memory:
	fair_system_free(system);
	return -ENOMEM;
}

void fair_system_free(struct fair_system *system)
{
	if (!system)
		return;
	while (system->nr_groups)
		sched_group_free(system->groups[--system->nr_groups]);
	free(system->groups);
	free(system->rqs);
	free(system);
}

size_t fair_system_bytes(const struct fair_system *system)
{
	size_t queues = system->nr_cpus * sizeof(struct sched_cfs_rq);
	size_t entities = system->nr_cpus * sizeof(struct sched_entity);

	return sizeof(*system) + system->nr_cpus * sizeof(*system->rqs) +
	       system->nr_groups * (sizeof(struct sched_group) + sizeof(void *) + queues) +
	       (system->nr_groups - 1) * entities;
}

int fair_group_create(struct fair_system *system, struct sched_group *parent, uint32_t shares,
		      uint32_t idle, struct sched_group **out)
{
	if (shares < SHARES_MIN || shares > SHARES_MAX)
		return -EINVAL;
	if (idle && !system->params.idle_groups)
		return -EINVAL;
	if (idle)
		shares = SCHED_WEIGHT_IDLEPRIO;
	return add_group(system, parent ? parent : system->groups[0],
			 (uint64_t)shares << SCHED_LOAD_SHIFT, idle, out);
}

void fair_task_init(struct fair_task *task, int nice, enum fair_policy policy,
		    struct sched_group *group)
{
	memset(task, 0, sizeof(*task));
	sched_entity_init(&task->se, nice, policy == FAIR_IDLE);
	task->policy = (uint8_t)policy;
	task->group = group;
}
