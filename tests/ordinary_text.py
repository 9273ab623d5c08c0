"""Lines of ordinary training code, configurations and logs: redaction leaves every one of them as it is."""

CODE = r"""
qkv = self.qkv(x); q, k, v = qkv[:, :2048], qkv[:, 2048:4096], qkv[:, 4096:]
print(loss[3000:3600], acc[2000::2], lr[2024:2048:4])
tokenizer = AutoTokenizer.from_pretrained("gpt2", pad_token="<pad>", eos_token="</s>", bos_token="<s>")
model.config.bos_token=128000123
tokenizer.pad_token = tokenizer.eos_token
token=tokens[0]
token = tokens[:, 0]; next_token = logits.argmax(-1)
best = max(results, key=lambda x: x["loss"])
order = sorted(state_dict, key=len)
json.dumps(config, sort_keys=True, indent=2)
out = model.generate(**inputs, max_new_tokens=128, num_return_sequences=1)
num_key_value_heads = 8
attn_key: torch.Tensor = self.k_proj(x)
key: str = "weight"
def get(self, key: str, default: int = 0) -> int:
@torch.no_grad()
@torch.compile(mode="max-autotune")
y = x@w.T + b
scores = q@k  # similarity of queries and keys
scores = query@key.transpose(-2, -1) / math.sqrt(d)
out = x@self.weight.T > 0
loss = (a@b % 3).sum()
h = W@x[2048:4096]
password = getpass.getpass("Password: ")
password = input("Password: ")
api_key = os.environ["OPENAI_API_KEY"]
api_key = os.environ.get("OPENAI_API_KEY")
api_key=os.getenv("WANDB_API_KEY", None)
token = os.environ.get("HF_TOKEN", "")
wandb.login(key=os.environ["WANDB_API_KEY"])
login(token=args.hf_token)
client = OpenAI(api_key=api_key)
client = OpenAI(api_key=settings.openai_api_key, base_url=url)
def connect(user: str, password: str, host: str = "localhost"):
def login(token: Optional[str] = None, key: str | None = None) -> None:
    self.password = password
    self.token = token
    secret: bytes = b""
    auth_token: str
    api_key: Optional[SecretStr] = None
parser.add_argument("--api-key", type=str, default=None, help="key of the service")
parser.add_argument("--hub_token", type=str, help="The token to use to push to the Model Hub.")
parser.add_argument("--token", default=os.getenv("HF_TOKEN"))
parser.add_argument("--password", action="store_true")
parser.add_argument("--max_tokens", type=int, default=4096)
parser.add_argument("--sort-key", default="loss")
if args.password is None:
if not api_key:
if password == "":
raise ValueError("API key is missing")
raise ValueError("Invalid token: expected <mask>")
raise KeyError(f"key {key} not found")
logger.info("token: %s", token)
print(f"api_key={api_key} password={password}")
print(f"token: {token}, key: {key}")
headers = {"Authorization": f"Bearer {token}"}
headers = {"X-Api-Key": api_key, "Content-Type": "application/json"}
headers["Authorization"] = "Bearer " + token
requests.get(url, headers=headers, auth=(user, password), cookies=cookies)
url = f"https://{user}:{password}@{host}/x"
engine = create_engine("postgresql://{}:{}@{}/{}".format(user, password, host, db))
DATA_KEY = "image"
LABEL_KEY = "label"
STATE_DICT_KEY = "model_state_dict"
METRIC_KEY = "eval/top5_accuracy"
PAD_TOKEN = "<pad>"
IMAGE_TOKEN = "<image>"
DEFAULT_IM_START_TOKEN = "<im_start>"
SPECIAL_TOKENS = {"unk_token": "[UNK]", "sep_token": "[SEP]"}
tokenizer.add_special_tokens({"pad_token": "[PAD]", "mask_token": "[MASK]"})
stop_token = "<|endoftext|>"
image_token_id = 32000
eos_token_id=50256, pad_token_id=50257
"token": "international",
{"token": "hello", "token_id": 15339}
vocab = {"the": 0, "token": 1, "password": 2, "secret": 3}
words = ["password", "secret", "token", "key"]
batch["key"] = "value"
mask = keys == "attention"
for key, value in state_dict.items():
state_dict keys: layer.0.weight, layer.0.bias
missing keys: ['fc.weight', 'fc.bias'], unexpected keys: []
cache_key = hashlib.sha256(text.encode()).hexdigest()
cache_key = f"{name}_{version}"
rng, key = jax.random.split(jax.random.PRNGKey(0))
key = torch.randn(32, 8, 128, 64)
k_cache, v_cache = past_key_values[0]
past_key_value = (key_states, value_states)
self.key = nn.Linear(768, 768); self.query = nn.Linear(768, 768)
nn.MultiheadAttention(512, 8, kdim=512)(query=x, key=y, value=y, key_padding_mask=mask)
F.scaled_dot_product_attention(query, key, value, attn_mask=None)
model.load_state_dict(torch.load("best.pt", weights_only=True)["model"])
torch.save({"epoch": 3, "model": model.state_dict()}, "runs/exp1/last.pt")
dist.init_process_group("nccl", init_method="env://")
dist.init_process_group("gloo", init_method="tcp://localhost:23456", rank=0, world_size=2)
dist.init_process_group("gloo", init_method="tcp://127.0.0.1:29500")
os.environ["MASTER_ADDR"] = "localhost"
os.environ["MASTER_PORT"] = "29500"
os.environ["CUDA_VISIBLE_DEVICES"] = "0,1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
os.environ.setdefault("OMP_NUM_THREADS", "1")
hostname = socket.gethostname()
local = threading.local()
lock = multiprocessing.Manager().local
if args.local_rank == 0:
self.cluster.internal = cfg.local
from torch.distributed.internal import x
from app.settings.local import DEBUG
x = layer1.internal.weight
data = np.load("/data/imagenet/train.npy")
root = "/scratch/datasets/imagenet"
ckpt = "/scratch/checkpoints/epoch3.pt"
path = "/work/train.py"
dataset = ImageFolder("/mnt/data/coco/train2017", transform=tf)
writer = SummaryWriter("runs/2024-01-02_12-30-45")
path = r"C:\projects\train.py"
pattern = r"\d+:\d+"
assert x.shape == (32, 2304), x.shape
time.sleep(0.5); start = time.perf_counter()
x = x.view(-1, 3, 224, 224)[:, :, ::2, ::2]
a, b = x[::2], x[1::2]
lr = 1e-4 if step < 2000 else 1e-5
print("%s: %d" % (name, value))
scheduler = CosineAnnealingLR(optimizer, T_max=100)
for i, (x, y) in enumerate(loader):
loss = F.cross_entropy(model(x), y); loss.backward(); optimizer.step()
secret = None
# the secret of a good learning rate: warm up
# Secret: none. The password is checked elsewhere.
# use a token of your own, see https://huggingface.co/docs/hub/security-tokens
# TODO(user): key must be hashable
git_hash = "8f3e1c2b4a5d6e7f8091a2b3c4d5e6f708192a3b"
revision="main", commit_hash="8f3e1c2b4a5d6e7f8091a2b3c4d5e6f708192a3b"
model = AutoModel.from_pretrained("bert-base-uncased", revision="0a6aa9128b6194f4f3c4db429b6cb4891cdb421b")
sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
md5 = "d41d8cd98f00b204e9800998ecf8427e"
uuid = "123e4567-e89b-12d3-a456-426614174000"
np.set_printoptions(precision=3); random.seed(0)
author = "unknown"
self.auth = None
user = User(name=name)
{"role": "user", "content": "What is the password?"}
messages = [{"role": "system", "content": "You are helpful."}]
signature = inspect.signature(fn)
pat = re.compile(r"step=(\d+)")
pin_memory=True, persistent_workers=True
creds = load_credentials()
credentials = service_account.Credentials.from_service_account_file(path)
session = requests.Session(); session_id = uuid4().hex
forward_pass: float = timer.seconds
n_pass=3, first_pass=True, backward_pass = 0.53
def first_pass(self, x): pass
compass = "north"; bypass: bool = True
encoder_key="encoder.layer.0.attention.self.key.weight"
map_location={"cuda:0": "cuda:1"}
x = x.to("cuda:0"); y = y.to(device="cuda:1")
torch.cuda.amp.autocast(dtype=torch.float16)
signal.signal(signal.SIGUSR1, handler)
assert torch.allclose(a@b, c, atol=1e-5)
private_key_path = "keys/id.pem"
ssl_key = "certs/key.pem"
token_file = "/run/secrets/token.txt"
access = {"read": True}
primary_key = "id"; foreign_key = "user_id"
sampler = DistributedSampler(ds, num_replicas=4, rank=rank)
sk = sklearn.linear_model.LogisticRegression()
pip install sk-learn-contrib-hdbscan
task-1234567890abcdefghij disk-usage risk-free
local-sgd as-is fc-layer pa-risc key-value
"""

LOGS = r"""
RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x2304 and 3136x10)
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 79.15 GiB of which 12.50 MiB is free.
KeyError: 'token'
KeyError: 'attention_mask'
RuntimeError: Error(s) in loading state_dict for Net: Missing key(s) in state_dict: "fc.weight", "fc.bias".
size mismatch for fc.weight: copying a param with shape torch.Size([10, 512]) from checkpoint, the shape in current model is torch.Size([100, 512]).
  File "train.py", line 12, in <module>
  File "/usr/lib/python3.11/runpy.py", line 198, in _run_module_as_main
  File "/opt/conda/lib/python3.11/site-packages/torch/nn/modules/module.py", line 1751, in _wrapped_call_impl
    return self._call_impl(*args, **kwargs)
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
[rank0]:[W1122 10:11:12.123456789 ProcessGroupNCCL.cpp:1250] Warning: process group has NOT been destroyed
[rank1]: Traceback (most recent call last):
W0102 12:30:45.123000 12345 torch/distributed/run.py:792] Setting OMP_NUM_THREADS environment variable to 1
Epoch 3: 100%|██████████| 1563/1563 [02:13<00:00, 11.72it/s, v_num=0, train_loss=0.532]
step 2048:4096 loss 0.53 lr 3.0e-04 tokens/s 12345
12:30:45 INFO step=100 loss=2.345 grad_norm=1.234
2024-01-02 12:30:45,123 - INFO - train - step 100/2000 loss 0.532
[2024-01-02 12:30:45,123] [INFO] [config.py:733:print] DeepSpeedEngine configuration:
{'loss': 0.5321, 'grad_norm': 1.23, 'learning_rate': 4.99e-05, 'epoch': 0.03}
tensor([[ 0.1234, -0.5678], [ 1.2345, -2.3456]], device='cuda:0', grad_fn=<AddmmBackward0>)
tensor([2048, 4096, 3000, 3600])
<torch._C.Generator object at 0x7f3a2c1b4d50>
<__main__.Net object at 0x000001F2A3B4C5D6>
frame #3: c10::cuda::CUDACachingAllocator::raw_alloc(unsigned long) + 0x1f (0x7f8e2c3d4e5f in /opt/conda/lib/python3.11/site-packages/torch/lib/libc10_cuda.so)
c10::Error at::native::add torch::autograd::Engine::evaluate_function
/opt/conda/lib/python3.11/site-packages/torch/nn/functional.py:2048: UserWarning: the `size_average` is deprecated
torch==2.6.0+cu124 torchvision==0.21.0 numpy==1.26.4
nvidia-cublas-cu12==12.4.5.8
nvidia-cuda-nvrtc-cu12            12.4.127
nvidia-cudnn-cu12         9.1.0.70
opencv-python             4.9.0.80
opencv-python==4.9.0.80
Successfully installed opencv-python-4.9.0.80 torch-2.6.0
libcurand                 10.3.5.147           0    nvidia
cuda-version              11.8.89.1
  - libcublas=12.1.3.1=0
cuDNN version: 8.9.2.26
Driver Version: 535.104.05   CUDA Version: 12.2
NVIDIA-SMI 535.104.05             Driver Version: 535.104.05   CUDA Version: 12.2
|   0  NVIDIA A100-SXM4-80GB          On  | 00000000:07:00.0 Off |                    0 |
| N/A   34C    P0              62W / 400W |   1234MiB / 81920MiB |      0%      Default |
GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-123e4567-e89b-12d3-a456-426614174000)
-e git+https://github.com/pytorch/vision.git@8f3e1c2b4a5d6e7f8091a2b3c4d5e6f708192a3b#egg=torchvision
transformers @ git+https://github.com/huggingface/transformers.git@8f3e1c2b4a5d6e7f8091a2b3c4d5e6f708192a3b
wandb==0.17.0
flash_attn @ https://github.com/Dao-AILab/flash-attention/releases/download/v2.6.3/flash_attn-2.6.3+cu123torch2.4-cp311-cp311-linux_x86_64.whl#sha256=e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
Collecting torch
  Downloading torch-2.6.0-cp311-cp311-manylinux1_x86_64.whl (766.6 MB)
git clone https://github.com/pytorch/pytorch.git
git clone git@github.com:pytorch/pytorch.git
commit 8f3e1c2b4a5d6e7f8091a2b3c4d5e6f708192a3b
HEAD is now at 8f3e1c2b fix the learning rate
Downloading: "https://download.pytorch.org/models/resnet50-0676ba61.pth" to checkpoints/resnet50-0676ba61.pth
loaded checkpoint sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
  0%|          | 0/100 [00:00<?, ?it/s]
Some weights of the model checkpoint were not used: ['cls.predictions.bias', 'cls.seq_relationship.weight']
Special tokens have been added in the vocabulary, make sure the associated word embeddings are fine-tuned or trained.
Setting `pad_token_id` to `eos_token_id`:50256 for open-end generation.
Token indices sequence length is longer than the specified maximum sequence length for this model (2048 > 1024).
huggingface/tokenizers: The current process just got forked, after parallelism has already been used.
The `key` argument is deprecated, use `token` instead.
UserWarning: `use_auth_token` is deprecated, use `token` instead.
wandb: Tracking run with wandb version 0.17.0
wandb: (1) Create a W&B account
wandb: Using wandb-core as the SDK backend. Please refer to https://wandb.me/wandb-core for more information.
wandb: Run `wandb login` to authenticate, or set WANDB_API_KEY.
wandb: Appending key for api.wandb.ai to your netrc file
wandb: ERROR api_key not configured (no-tty). call wandb.login(key=[your_api_key])
openai.AuthenticationError: Error code: 401 - Incorrect API key provided: None
ValueError: API key must be 40 characters long, yours was 86
401 Client Error: Unauthorized for url: https://huggingface.co/api/whoami-v2
OSError: You are trying to access a gated repo. Make sure to pass a token having permission to this repo with `token=<your_token>`.
GatedRepoError: pass your token with `--token` or log in with `huggingface-cli login`
Invalid username or password.
Password:
Enter your API key:
Login successful. The token has been saved.
usage: train.py [-h] [--api-key API_KEY] [--token TOKEN] [--lr LR]
  --password PASSWORD   password of the database
  --hub_token HUB_TOKEN  The token to use to push to the Model Hub.
  --token is deprecated, use --hub-token instead
torchrun --nproc_per_node 4 --nnodes 1 --master_addr localhost --master_port 29500 train.py
torchrun --standalone --nproc_per_node=4 train.py --config configs/base.yaml
python train.py --lr 3e-4 --batch-size 64 --max-tokens 4096 --sort-key loss
docker run --gpus all -p 8888:8888 -v $PWD:/workspace pytorch/pytorch:2.6.0-cuda12.4-cudnn9-devel
docker run -e HF_TOKEN=$HF_TOKEN -e WANDB_API_KEY=${WANDB_API_KEY} image
export WANDB_API_KEY=$(cat ~/.wandb_key)
export HF_TOKEN="$HF_TOKEN"
export HF_TOKEN=<your token>
export PYTHONPATH=$PWD:$PYTHONPATH
PWD=/workspace/project
CUDA_VISIBLE_DEVICES=0 python train.py
NCCL_DEBUG=INFO NCCL_SOCKET_IFNAME=eth0 torchrun train.py
ssh-keygen -t ed25519
curl -LO https://example.org/data.zip
wget https://dl.fbaipublicfiles.com/x.tar.gz -O x.tar.gz
mysql -u root -p
gdb -p 1234
tar -xzf data.tar.gz -C /tmp/data
Listening on http://0.0.0.0:6006/
TensorBoard 2.16.2 at http://localhost:6006/ (Press CTRL+C to quit)
http://127.0.0.1:8888/lab
Uvicorn running on http://0.0.0.0:8000
MASTER_ADDR=localhost MASTER_PORT=29500 WORLD_SIZE=4 RANK=0
backend: nccl, world size: 4, rank: 0, local_rank: 0
node: 3, server: none, host memory: 12 GiB
on cuda:0, from cpu to gpu, on node 3 of 8
Training on gpu 0; on A100, from rank 3
srun: error: task 0: Exited with exit code 1
slurmstepd: error: Exceeded job memory limit
NodeList=(null) Priority=4294901757 Nice=0
JobId=1234 JobState=RUNNING Reason=None TimeLimit=1-00:00:00
drwxr-xr-x 2 root root 4096 Jan  2 12:30 checkpoints
uid=0(root) gid=0(root) groups=0(root)
Linux x86_64, glibc 2.35, Python 3.11.7
platform: Linux-5.15.0-91-generic-x86_64-with-glibc2.35
[12:30:45] step 100 (00:02:13 elapsed, 01:10:20 left)
memory: 12:34:56:78 of 00:11:22
elapsed 00:12:30:45
aspect ratio 16:9, 4:3, ranges 1000:2000, 2000:3000, 3000:4000
throughput: 2048:1, ratio 3:1
ratio=0.5:0.3:0.2, split 80:10:10
BLEU = 27.3 60.2/34.1/21.0/13.4 (BP = 1.000 ratio = 1.024 hyp_len = 61287 ref_len = 59851)
key_states.shape = torch.Size([2, 8, 128, 64])
param model.layers.0.self_attn.k_proj.weight torch.Size([1024, 4096])
model.layers.0.self_attn.key: max 3.2 min -3.1
attention key norm: 12.5, query norm: 11.2
key: torch.float16, value: torch.float32
keys: 12, values: 12, tokens: 4096
tokens: 1,234,567 (12.3 tokens/s)
prompt tokens: 123, completion tokens: 456
last token: 50256, next token: 198
token: <|endoftext|>
token: the
token 128000123 is not in the vocabulary
'token': '<mask>', 'score': 0.123
secret santa, password protected, tokenized text
fx graph cache miss for key fabc123def456abc123def456abc123def456abc123
AOTAutograd cache miss for key a1b2c3d4e5f6
Cache key: 3f2a
Adam (Parameter Group 0 amsgrad: False betas: (0.9, 0.999) eps: 1e-08 lr: 0.001)
version 1.2.3.4, build 22.3.1.0
v1.2.3.4 released
10.3.2.106 is the version of cuRAND
""".replace("10.3.2.106 is the version of cuRAND\n", "")

CONFIG = r"""
model:
  name: resnet50
  num_key_value_heads: 8
  key_dim: 64
  max_new_tokens: 128
tokenizer:
  pad_token: <pad>
  eos_token: </s>
  bos_token: "<s>"
  unk_token: "[UNK]"
  pad_token_id: 0
  special_tokens: true
optimizer:
  lr: 3.0e-4
  betas: [0.9, 0.999]
data:
  root: /data/imagenet
  image_key: pixel_values
  label_key: label
  cache_key: null
  password: null
  token: null
  secret: ~
  api_key: ${oc.env:WANDB_API_KEY}
  auth: false
  use_auth_token: true
  user: null
trainer:
  max_time: 00:12:30:45
  precision: bf16-mixed
  devices: 4
  monitor: val/loss
wandb:
  project: cifar
  entity: null
  key: val_loss
env:
  MASTER_ADDR: localhost
  HF_TOKEN: ${{ secrets.HF_TOKEN }}
  WANDB_API_KEY: $WANDB_API_KEY
  TOKENIZERS_PARALLELISM: "false"
"hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
"bos_token_id": 128000, "eos_token_id": 128009,
"pad_token": "<|finetune_right_pad_id|>",
"image_token": "<image>", "boi_token": "<start_of_image>",
"_commit_hash": "8f3e1c2b4a5d6e7f8091a2b3c4d5e6f708192a3b",
"password": null, "token": "", "api_key": "",
"api_key": "<your key>", "token": "YOUR_TOKEN", "password": "********"
"transformers_version": "4.44.2"
[tool.ruff]
line-length = 120
requires-python = ">=3.10"
authors = [{name = "A"}]
[project.scripts]
train = "pkg.train:main"
FROM pytorch/pytorch:2.6.0-cuda12.4-cudnn9-devel
ENV PYTHONUNBUFFERED=1 CUDA_HOME=/usr/local/cuda
ARG TORCH_CUDA_ARCH_LIST="8.0 9.0"
ARG HF_TOKEN
RUN --mount=type=secret,id=hf_token pip install -r requirements.txt
#SBATCH --gres=gpu:4 --time=12:00:00 --mem=64G
#SBATCH --ntasks-per-node=4 --cpus-per-task=8
module load cuda/12.4 python/3.11
source activate torch
conda activate base
(base) $ python train.py
>>> model = Net()
In [3]: loss.backward()
$ nvidia-smi
"""

# What the forms of `apart`, `people` and `machines` come close to.
NEAR = r"""
PWD=/data
OLDPWD=/data/x
'PWD': '/data/x',
Product 4.2.2.0 is out
see Section 8.4.3.5 of the manual
src/home/view.py
https://cs.example.edu/people/faculty/x
https://example.org/people/members/list
node: ast.AST, host: cfg.Host
node = graph.output
connected to x. Then the training starts.
user.name is None
for user in tensor.users:
A staticmethod built by user code can wrap any callable
be reassigned by user module,
fields = ["username", "password", "email"]
pairs = [("password", "email"), ("token", "type")]
| password | string | of the database |
| `pad_token` | `<pad>` |
def get_password(self) -> str:
def connect(password: SecretStr, api_key: str) -> None:
connect(password=my_password, api_key=api_key, token=hf_token)
config("SECRET_KEY", default="")
os.environ.get("HF_TOKEN", None)
The password is checked. The token is deprecated. The API key is missing.
the password "password" is a placeholder
token是int64类型
error code: 12
password: |
password: !secret db_password
- name: LR
  value: 0.1
name: key
value: 3
variable "epochs" { default = 3 }
login("user", "password")
set_token("pad")
batch.set_key("token")
Client("my-long-project-name-for-2024-experiments")
git config --get credential.helper
echo hello | grep h
docker run --user 1000 image
pip install --user numpy
sudo -u root python x.py
log in as root
Currently logged in as: root
uid: 1000
User: root
$ whoami
root
$ hostname
localhost
x@w in place
/media/data/x.pt
/tmp/torchinductor_root/ab/x.py
/scratch/datasets/x
[project]
name = "thesis"
8f3e1c2b (fix the learning rate)
# Author: The PyTorch Team
TCPStore("localhost", 29500, 2, True)
connect to (localhost, 29500)
localhost slots=8
mpirun -H localhost:2 python x.py
DB_HOST=localhost
NUM_NODES=4
"MASTER_ADDR": worker_group.master_addr,
queue: NodeList = root_nodes
allows users to pass :class:`DTensor` s
_EMPTY_NN_MODULE_STACK_KEY = "_empty_nn_module_stack_from_metadata_hook"
STRINGCHUNK = re.compile(r'(.*?)(["\\\x00-\x1f])', FLAGS)
on host memory, hostname is missing
running on host: localhost
nodes: 4, workers: 8
Connection to server closed
HostName %h.example.org
"""

ORDINARY = [line for text in (CODE, LOGS, CONFIG, NEAR) for line in text.split("\n") if line.strip()]
