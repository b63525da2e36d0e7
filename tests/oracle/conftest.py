"""The oracle is a folder of plain modules; tests import them by name from wherever pytest was started."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
