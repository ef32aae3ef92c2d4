"""What llvm-mca answered when the tests were written, so that they need none.

With ``RECORD_LLVM_MCA=PROGRAM`` in the environment, questions without an answer are put to that program, and
its answers are added to the file.
"""

import hashlib
import json
import os
import subprocess
from pathlib import Path

from pipeline.projection.ports import loop_estimate
from pipeline.projection.ports.loop_estimate import find_llvm_mca

STORED = Path(__file__).parent / "llvm-mca-answers.json"
PROGRAM = "/opt/llvm/bin/llvm-mca"


def key(command, text):
    """Return what identifies a question: the processor, the iterations and a digest of the loop."""
    if "--version" in command:
        return "version"
    words = dict(word.lstrip("-").split("=") for word in command if "=" in word)
    return f"{words['mcpu']} {words['iterations']} {hashlib.sha256(text.encode()).hexdigest()[:12]}"


def compact(text):
    """Return an answer with what is read of it, without white space."""
    if not text.startswith("{"):
        return text
    document = json.loads(text, parse_float=lambda number: round(float(number), 4))
    document.pop("SimulationParameters", None)
    return json.dumps(document, separators=(",", ":"))


def answer(command, text=""):
    """Answer as llvm-mca did."""
    stored = json.loads(STORED.read_text()) if STORED.exists() else {}
    question, program = key(command, text), os.environ.get("RECORD_LLVM_MCA")
    if question not in stored and program:
        words = [program, *command[1:]]
        done = subprocess.run(words, input=text, capture_output=True, text=True, check=False)
        stored[question] = [done.returncode, compact(done.stdout), done.stderr]
        STORED.write_text(json.dumps(dict(sorted(stored.items())), indent=0) + "\n")
    return subprocess.CompletedProcess(command, *stored[question])


def replay(monkeypatch):
    """Have llvm-mca found and answer from the file, whether or not there is one."""
    monkeypatch.setattr(loop_estimate, "run_tool", answer)
    monkeypatch.setattr(loop_estimate.shutil, "which", {"llvm-mca": PROGRAM}.get)
    find_llvm_mca.cache_clear()
