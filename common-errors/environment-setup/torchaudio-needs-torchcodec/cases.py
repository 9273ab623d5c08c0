# fewer: torchaudio has two functions that need TorchCodec
import tempfile
import wave

import torch

folder = tempfile.TemporaryDirectory()

# %% saving
import torchaudio

torchaudio.save(f"{folder.name}/tone.wav", torch.zeros(1, 16000), 16000)

# %% loading part of a file
import torchaudio

torchaudio.load(f"{folder.name}/speech.flac", frame_offset=16000, num_frames=16000)

# %% message: metadata
import torchaudio

torchaudio.info("tone.wav")

# %% message: backends
import torchaudio

torchaudio.list_audio_backends()

# %% message: a type in an annotation
import torchaudio

torchaudio.AudioMetaData

# %% message: a module of the old backends
import torchaudio.backend.common

# %% right: the standard library writes the file
with wave.open(f"{folder.name}/tone.wav", "wb") as tone:
    tone.setparams((1, 2, 16000, 0, "NONE", ""))
    tone.writeframes(torch.zeros(16000, dtype=torch.int16).numpy().tobytes())
