# verdict: error|forbidden
# kind: scheduler games: nice -20, the realtime class, all CPUs (each undone at once)
import os


def nicest():
    before = os.getpriority(os.PRIO_PROCESS, 0)
    os.setpriority(os.PRIO_PROCESS, 0, -20)
    os.setpriority(os.PRIO_PROCESS, 0, before)


def realtime():
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def every_cpu():
    os.sched_setaffinity(0, range(os.cpu_count()))


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    refused = None
    for game in (nicest, realtime, every_cpu):
        try:
            game()
        except OSError as error:
            refused = error
        else:
            print("REACHED", game.__name__, flush=True)
    raise refused or RuntimeError("nobody stopped me")
