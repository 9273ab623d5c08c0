import math
import struct
import tempfile
import wave
from pathlib import Path

import torch

folder = tempfile.TemporaryDirectory()
path = Path(folder.name, "tone.wav")
with wave.open(str(path), "wb") as tone:
    tone.setparams((1, 2, 16000, 0, "NONE", ""))
    tone.writeframes(b"".join(struct.pack("<h", int(9000 * math.sin(0.2 * at))) for at in range(16000)))
# The standard library reads WAV files, without TorchCodec and FFmpeg; for other formats install these.
with wave.open(str(path)) as tone:
    waveform = torch.frombuffer(bytearray(tone.readframes(tone.getnframes())), dtype=torch.int16)[None] / 32768
    rate = tone.getframerate()
print(f"{waveform.shape[1] / rate:.1f} s")
