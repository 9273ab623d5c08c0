import math
import struct
import tempfile
import wave
from pathlib import Path

import torchaudio

folder = tempfile.TemporaryDirectory()
path = Path(folder.name, "tone.wav")
with wave.open(str(path), "wb") as tone:
    tone.setparams((1, 2, 16000, 0, "NONE", ""))
    tone.writeframes(b"".join(struct.pack("<h", int(9000 * math.sin(0.2 * at))) for at in range(16000)))
waveform, rate = torchaudio.load(str(path))  # error
print(f"{waveform.shape[1] / rate:.1f} s")
