// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages: pipes, AF_UNIX and loopback sockets. A channel's lines travel between the
 * CPUs that use it, one user at a time (the pipe's mutex, the socket's lock). What comes
 * over the loopback device is received by a softirq on the sender's CPU, which then does
 * the wake-up.
 */
#include "sim/program.h"

static struct sim_channel *channel_of(struct sim_run *run)
{
	return &run->load->channels[run->op->a];
}

static int is_loopback(const struct sim_channel *ch)
{
	return ch->def->kind == WORK_TCP || ch->def->kind == WORK_UDP;
}

static uint64_t copy(const struct sim_run *run, uint64_t bytes)
{
	return bytes * run->s->cost.copy / 1000;
}

/*
 * Has the channel for hold ns, after whoever has it now; its lines come from the CPU
 * that used it last. Returns the ns until it has it, the lines' travel included.
 */
static uint64_t enter(struct sim_run *run, struct sim_channel *ch, uint64_t bytes, uint64_t hold)
{
	struct sim *s = run->s;
	uint32_t lines = s->cost.lines[ch->def->kind] + (uint32_t)(bytes / 64);
	uint64_t travel = sim_fetch(&s->fabric, ch->line.owner, run->cpu->id, lines);
	uint64_t wait = ch->line.free_at > s->now ? ch->line.free_at - s->now : 0;

	ch->line.owner = (uint16_t)run->cpu->id;
	ch->line.free_at = s->now + wait + travel + hold;
	return wait + travel;
}

static void put(struct sim_channel *ch, uint64_t bytes)
{
	uint32_t at = (ch->head + ch->room.nr) % ch->size;

	ch->ring[at] = work_room_put(ch->def, &ch->room, (uint32_t)bytes);
}

/* The oldest message leaves; 1: writers are to be woken. */
static uint32_t take(struct sim_channel *ch)
{
	uint32_t entry = ch->ring[ch->head];

	ch->head = (ch->head + 1) % ch->size;
	return work_room_take(ch->def, &ch->room, entry,
			      ch->room.nr > 1 ? ch->ring[ch->head] : 0);
}

/* sk_stream_write_space() is the one write-space wake-up that isn't WF_SYNC. */
static enum sim_progress wake_writer(struct sim_run *run, struct sim_channel *ch, uint32_t step)
{
	uint32_t flags = ch->def->kind == WORK_TCP ? 0 : WAKE_WF_SYNC;

	return sim_op_wake(run, sim_queue_take(run->s, &ch->writers), flags, 1, step);
}

enum { SEND_ENTER, SEND_COPIED, SEND_PUT, SEND_AGAIN, SEND_NEXT_WRITER, SEND_LEAVE, SEND_DONE };

static enum sim_progress put_and_wake(struct sim_run *run, struct sim_channel *ch)
{
	uint32_t reader;

	if (!work_room_fits(ch->def, &ch->room, (uint32_t)run->task->value)) {
		sim_queue_add(run->s, &ch->writers, run->task->id);
		return sim_op_sleep(run, SEND_AGAIN);
	}
	put(ch, run->task->value);
	run->task->step = SEND_NEXT_WRITER;
	reader = sim_queue_take(run->s, &ch->readers);
	if (reader == SIM_NO_TASK)
		return SIM_PROGRESS_ON;
	return sim_op_wake(run, reader, WAKE_WF_SYNC, !is_loopback(ch), SEND_NEXT_WRITER);
}

enum sim_progress sim_op_send(struct sim_run *run)
{
	struct sim_channel *ch = channel_of(run);
	const struct sim_costs *cost = &run->s->cost;
	struct sim_task *task = run->task;
	uint64_t own;

	switch (task->step) {
	case SEND_ENTER:
		task->kernel = 1;
		task->slept = 0;
		task->value = sim_op_value(run);
		own = cost->send[ch->def->kind] + copy(run, task->value);
		return sim_op_work(run, cost->syscall / 2 + own + enter(run, ch, 0, own / 2),
				   is_loopback(ch) ? SEND_COPIED : SEND_PUT);
	case SEND_COPIED:
		return sim_op_work(run, cost->softirq + cost->rx[ch->def->kind], SEND_PUT);
	case SEND_AGAIN:
		task->slept = 1;
		return put_and_wake(run, ch);
	case SEND_PUT:
		return put_and_wake(run, ch);
	case SEND_NEXT_WRITER:
		if (task->slept && !sim_queue_empty(&ch->writers) &&
		    work_room_left(ch->def, &ch->room))
			return wake_writer(run, ch, SEND_LEAVE);
		task->step = SEND_LEAVE;
		return SIM_PROGRESS_ON;
	case SEND_LEAVE:
		return sim_op_work(run, cost->syscall / 2, SEND_DONE);
	default:
		return sim_op_next(run);
	}
}

enum { RECV_ENTER, RECV_LOOK, RECV_TAKE, RECV_MORE_WRITERS, RECV_LEAVE, RECV_DONE };

static enum sim_progress look(struct sim_run *run, struct sim_channel *ch)
{
	uint64_t bytes, own;

	if (!ch->room.nr) {
		sim_queue_add(run->s, &ch->readers, run->task->id);
		return sim_op_sleep(run, RECV_LOOK);
	}
	bytes = work_entry_bytes(ch->ring[ch->head]);
	own = run->s->cost.recv[ch->def->kind] + copy(run, bytes);
	return sim_op_work(run, own + enter(run, ch, bytes, own / 2), RECV_TAKE);
}

static enum sim_progress take_and_wake(struct sim_run *run, struct sim_channel *ch)
{
	if (!ch->room.nr) {
		run->task->step = RECV_LOOK;	/* another reader was faster */
		return SIM_PROGRESS_ON;
	}
	run->task->step = RECV_LEAVE;
	if (!take(ch) || sim_queue_empty(&ch->writers))
		return SIM_PROGRESS_ON;
	return wake_writer(run, ch, ch->def->wakes_all ? RECV_MORE_WRITERS : RECV_LEAVE);
}

enum sim_progress sim_op_recv(struct sim_run *run)
{
	struct sim_channel *ch = channel_of(run);

	switch (run->task->step) {
	case RECV_ENTER:
		run->task->kernel = 1;
		return sim_op_work(run, run->s->cost.syscall / 2, RECV_LOOK);
	case RECV_LOOK:
		return look(run, ch);
	case RECV_TAKE:
		return take_and_wake(run, ch);
	case RECV_MORE_WRITERS:
		if (!sim_queue_empty(&ch->writers))
			return wake_writer(run, ch, RECV_MORE_WRITERS);
		run->task->step = RECV_LEAVE;
		return SIM_PROGRESS_ON;
	case RECV_LEAVE:
		return sim_op_work(run, run->s->cost.syscall / 2, RECV_DONE);
	default:
		return sim_op_next(run);
	}
}
