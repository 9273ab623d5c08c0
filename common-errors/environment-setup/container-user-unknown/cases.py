import os
import subprocess
import sys
import tempfile

folder = tempfile.TemporaryDirectory()
os.chmod(folder.name, 0o777)
environment = {name: value for name, value in os.environ.items() if name not in ("USER", "LOGNAME", "USERNAME")}


def run(code):
    subprocess.run([*container, sys.executable, "-c", code], cwd=folder.name, env=environment, check=True)


# %% a run named after its user
container = ["unshare", "--user", "--map-user=61234"]
run("import getpass; print(f'runs/{getpass.getuser()}-baseline')")

# %% a number as OpenShift gives it
container = ["unshare", "--user", "--map-user=1002700000"]
run("import getpass, tempfile; print(f'{tempfile.gettempdir()}/torchinductor_{getpass.getuser()}')")

# %% a cache in the home folder, asked for by its number
container = ["unshare", "--user", "--map-user=501"]
run("import os, pwd; print(pwd.getpwuid(os.getuid()).pw_dir + '/.cache/torch')")

# %% a draft of an exported model
container = ["unshare", "--user", "--map-user=955"]
run("import torch; torch.export.draft_export(torch.nn.Conv2d(3, 8, 3), (torch.randn(1, 3, 8, 8),))")

# %% message: no home folder either
container = ["unshare", "--user", "--map-user=1042"]
environment.pop("HOME", None)
run("from pathlib import Path; print(Path.home() / '.cache')")

# %% right: the number has a name
container = ["unshare", "--user", "--map-user=0"]
run("import getpass; print(getpass.getuser())")

# %% right: the name is in the environment
container = ["unshare", "--user", "--map-user=61234"]
environment["LOGNAME"] = "trainer"
run("import getpass; print(getpass.getuser())")
