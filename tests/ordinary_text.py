"""Lines of ordinary training code, logs and configurations: redaction leaves every one of them as it is."""

CODE = r"""
qkv = self.qkv(x); q, k, v = qkv[:, :2048], qkv[:, 2048:4096], qkv[:, 4096:]
tokenizer.pad_token = tokenizer.eos_token
order = sorted(state_dict, key=len)
attn_key: torch.Tensor = self.k_proj(x)
@torch.compile(mode="max-autotune")
out = x@self.weight.T > 0
password = input("Password: ")
token = os.environ.get("HF_TOKEN", "")
client = OpenAI(api_key=settings.openai_api_key, base_url=url)
    self.token = token
parser.add_argument("--api-key", type=str, default=None, help="key of the service")
parser.add_argument("--max_tokens", type=int, default=4096)
if password == "":
logger.info("token: %s", token)
headers = {"X-Api-Key": api_key, "Content-Type": "application/json"}
engine = create_engine("postgresql://{}:{}@{}/{}".format(user, password, host, db))
METRIC_KEY = "eval/top5_accuracy"
SPECIAL_TOKENS = {"unk_token": "[UNK]", "sep_token": "[SEP]"}
eos_token_id=50256, pad_token_id=50257
words = ["password", "secret", "token", "key"]
state_dict keys: layer.0.weight, layer.0.bias
rng, key = jax.random.split(jax.random.PRNGKey(0))
self.key = nn.Linear(768, 768); self.query = nn.Linear(768, 768)
torch.save({"epoch": 3, "model": model.state_dict()}, "runs/exp1/last.pt")
os.environ["MASTER_ADDR"] = "localhost"
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
lock = multiprocessing.Manager().local
from app.settings.local import DEBUG
ckpt = "/scratch/checkpoints/epoch3.pt"
path = r"C:\projects\train.py"
x = x.view(-1, 3, 224, 224)[:, :, ::2, ::2]
scheduler = CosineAnnealingLR(optimizer, T_max=100)
# the secret of a good learning rate: warm up
git_hash = "8f3e1c2b4a5d6e7f8091a2b3c4d5e6f708192a3b"
md5 = "d41d8cd98f00b204e9800998ecf8427e"
self.auth = None
signature = inspect.signature(fn)
credentials = service_account.Credentials.from_service_account_file(path)
def first_pass(self, x): pass
x = x.to("cuda:0"); y = y.to(device="cuda:1")
private_key_path = "keys/id.pem"
primary_key = "id"; foreign_key = "user_id"
task-1234567890abcdefghij disk-usage risk-free
"""

LOGS = r"""
RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x2304 and 3136x10)
  File "/usr/lib/python3.11/runpy.py", line 198, in _run_module_as_main
[rank1]: Traceback (most recent call last):
2024-01-02 12:30:45,123 - INFO - train - step 100/2000 loss 0.532
<torch._C.Generator object at 0x7f3a2c1b4d50>
nvidia-cublas-cu12==12.4.5.8
Successfully installed opencv-python-4.9.0.80 torch-2.6.0
Driver Version: 535.104.05   CUDA Version: 12.2
-e git+https://github.com/pytorch/vision.git@8f3e1c2b4a5d6e7f8091a2b3c4d5e6f708192a3b#egg=torchvision
git clone https://github.com/pytorch/pytorch.git
loaded checkpoint sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
huggingface/tokenizers: The current process just got forked, after parallelism has already been used.
wandb: Using wandb-core as the SDK backend. Please refer to https://wandb.me/wandb-core for more information.
ValueError: API key must be 40 characters long, yours was 86
Enter your API key:
  --token is deprecated, use --hub-token instead
docker run -e HF_TOKEN=$HF_TOKEN -e WANDB_API_KEY=${WANDB_API_KEY} image
PWD=/workspace/project
wget https://dl.fbaipublicfiles.com/x.tar.gz -O x.tar.gz
TensorBoard 2.16.2 at http://localhost:6006/ (Press CTRL+C to quit)
node: 3, server: none, host memory: 12 GiB
NodeList=(null) Priority=4294901757 Nice=0
platform: Linux-5.15.0-91-generic-x86_64-with-glibc2.35
throughput: 2048:1, ratio 3:1
model.layers.0.self_attn.key: max 3.2 min -3.1
prompt tokens: 123, completion tokens: 456
'token': '<mask>', 'score': 0.123
Adam (Parameter Group 0 amsgrad: False betas: (0.9, 0.999) eps: 1e-08 lr: 0.001)
"""

CONFIG = r"""
model:
tokenizer:
  pad_token_id: 0
data:
  password: null
  use_auth_token: true
  devices: 4
  key: val_loss
  TOKENIZERS_PARALLELISM: "false"
"_commit_hash": "8f3e1c2b4a5d6e7f8091a2b3c4d5e6f708192a3b",
line-length = 120
FROM pytorch/pytorch:2.6.0-cuda12.4-cudnn9-devel
#SBATCH --gres=gpu:4 --time=12:00:00 --mem=64G
(base) $ python train.py
"""

NEAR = r"""
PWD=/data
src/home/view.py
connected to x. Then the training starts.
fields = ["username", "password", "email"]
def connect(password: SecretStr, api_key: str) -> None:
the password "password" is a placeholder
- name: LR
login("user", "password")
echo hello | grep h
Currently logged in as: root
$ hostname
/scratch/datasets/x
TCPStore("localhost", 29500, 2, True)
NUM_NODES=4
STRINGCHUNK = re.compile(r'(.*?)(["\\\x00-\x1f])', FLAGS)
HostName %h.example.org
"""

ORDINARY = [line for text in (CODE, LOGS, CONFIG, NEAR) for line in text.split("\n") if line.strip()]
