"""The modules beside the tests are imported by name, here and by tests/long_certificates.py."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
