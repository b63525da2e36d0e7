"""The modules of this folder are imported by name, from wherever pytest was started."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
