"""A Slurm of one node on this machine, to try jobs with: all in one folder, on ports of its own.

Usage: local_slurm.py start FOLDER [CPUS], then as it prints: export SLURM_CONF=FOLDER/slurm.conf
       local_slurm.py stop FOLDER

It needs Debian's slurm-wlm and munge, but not root. Authentication has a daemon and a key of its own, and
connections go over the loopback interface, so that it meets neither a Slurm of this machine nor another one
that was started so. There is no accounting database, hence no `sacct`.
"""

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch")
SECONDS_TO_START = 30.0
SECONDS_TO_STOP = 10.0
LONGEST_PATH = 80  # of the folder: paths of sockets end at 107 characters

CONFIGURATION = """\
ClusterName=local
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmctldPort={controller_port}
SlurmdPort={node_port}
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
SlurmdParameters=config_overrides
ReturnToService=0
MessageTimeout=3
KillWait=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={megabytes} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


class LocalSlurmError(Exception):
    """Slurm cannot be started here, with the reason."""


def what_is_missing() -> str:
    """Return why Slurm cannot be started here; empty if it can."""
    missing = [program for program in PROGRAMS if shutil.which(program, path=_search_path()) is None]
    return f"no {', '.join(missing)} here: apt-get install slurm-wlm munge" if missing else ""


def start(folder: Path, cpus: int | None = None) -> None:
    """Start Slurm and wait until its node is idle.

    Args:
        folder: for its configuration, state and logs; made if it does not exist.
        cpus: of the node, perhaps more than the machine has; as many as the machine has if None.

    Raises:
        LocalSlurmError: a program is missing or fails, or the node is not idle in time.
    """
    if reason := what_is_missing():
        raise LocalSlurmError(reason)
    folder = folder.resolve()
    if daemon(folder, "slurmctld"):
        raise LocalSlurmError(f"{folder}: Slurm runs there already")
    if len(str(folder)) > LONGEST_PATH:
        raise LocalSlurmError(f"{folder}: choose a path of at most {LONGEST_PATH} characters")
    for part in ("state", "spool"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    controller_port, node_port = _free_ports(2)
    text = CONFIGURATION.format(
        host=socket.gethostname().partition(".")[0],
        user=pwd.getpwuid(os.geteuid()).pw_name,
        folder=folder,
        cpus=cpus or len(os.sched_getaffinity(0)),
        megabytes=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20,
        controller_port=controller_port,
        node_port=node_port,
    )
    configuration(folder).write_text(text, encoding="utf-8")
    try:
        _start_munge(folder)
        start_controller(folder)
        _call(folder, "slurmd", "-f", str(configuration(folder)))
        _wait_until_idle(folder)
    except BaseException:
        stop(folder)
        raise


def _wait_until_idle(folder: Path) -> None:
    end = time.monotonic() + SECONDS_TO_START
    while _call(folder, "sinfo", "--noheader", "--format=%t").strip() != "idle":
        if time.monotonic() > end:
            raise LocalSlurmError(f"the node is not idle; see {folder}/slurmctld.log and slurmd.log")
        time.sleep(0.1)


def start_controller(folder: Path) -> None:
    """Start the controlling daemon alone: for a second time, after it has ended.

    Raises:
        LocalSlurmError: it fails.
    """
    _call(folder, "slurmctld", "-f", str(configuration(folder)))


def configuration(folder: Path) -> Path:
    """Return the file that SLURM_CONF has to name."""
    return folder.resolve() / "slurm.conf"


def stop(folder: Path) -> None:
    """End all daemons that were started in a folder, and all jobs of this Slurm."""
    if configuration(folder).exists() and daemon(folder, "slurmctld"):
        for which in (["--state=PENDING"], ["--signal=KILL", "--full"]):
            command = ["scancel", "--me", *which]
            subprocess.run(command, env=_environment(folder), capture_output=True, check=False, timeout=10)
    for name in ("slurmd", "slurmctld", "munged"):
        end_daemon(folder, name, signal.SIGTERM)


def daemon(folder: Path, name: str) -> int | None:
    """Return the number of the process of a daemon; None if it does not run."""
    try:
        number = int((folder / f"{name}.pid").read_text(encoding="ascii"))
        command = Path(f"/proc/{number}/cmdline").read_bytes()
    except (OSError, ValueError):
        return None
    return number if name.encode() in command else None


def end_daemon(folder: Path, name: str, number: signal.Signals) -> None:
    """Send a signal to a daemon and wait until it has ended; kill it if that takes too long."""
    end = time.monotonic() + SECONDS_TO_STOP
    while process := daemon(folder, name):
        late = time.monotonic() > end
        os.kill(process, signal.SIGKILL if late else number)
        time.sleep(0.05)


def _start_munge(folder: Path) -> None:
    key = folder / "munge.key"
    key.touch(mode=0o600)
    key.write_bytes(secrets.token_bytes(128))
    files = {"socket": "munge.socket", "key-file": "munge.key", "pid-file": "munged.pid"}
    files |= {"log-file": "munged.log", "seed-file": "munged.seed"}
    _call(folder, "munged", "--force", *(f"--{option}={folder / file}" for option, file in files.items()))


def _free_ports(number: int) -> list[int]:
    """Return ports that nothing listens to."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def _call(folder: Path, *command: str) -> str:
    """Run a program of Slurm and return what it prints."""
    result = subprocess.run(
        command,
        env=_environment(folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS_TO_START,
        check=False,
    )
    if result.returncode:
        raise LocalSlurmError(f"{command[0]} failed: {result.stdout.strip()}")
    return result.stdout


def _environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "PATH": _search_path(), "SLURM_CONF": str(configuration(folder))}


def _search_path() -> str:
    return f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"


def main() -> None:
    """Start or stop as the command line says."""
    match sys.argv[1:]:
        case ["start", folder, *cpus] if len(cpus) < 2:
            try:
                start(Path(folder), *map(int, cpus))
            except (LocalSlurmError, OSError) as error:
                sys.exit(str(error))
            print(f"export SLURM_CONF={configuration(Path(folder))}")
        case ["stop", folder]:
            stop(Path(folder))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
