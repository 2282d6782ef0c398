# verdict: forbidden|error
# kind: lifts the limits on its memory and its CPU time, as a privileged process may
import resource

refused = None
for name in ("RLIMIT_AS", "RLIMIT_CPU", "RLIMIT_NOFILE", "RLIMIT_FSIZE"):
    limit = getattr(resource, name)
    soft, hard = resource.getrlimit(limit)
    if hard == resource.RLIM_INFINITY:
        continue
    try:
        resource.setrlimit(limit, (hard + 1, hard + 1))
    except (OSError, ValueError) as error:
        refused = error
    else:
        print("REACHED", name, flush=True)
raise refused or RuntimeError("nothing left to lift")
