from dataclasses import dataclass
from pathlib import Path
@dataclass
class T:
    path: Path; version: str
def find_llvm_mca(p): return T(Path("/usr/bin/llvm-mca-19"),"19.1.7")
