"""Who and where: folders, prompts of a shell, names of people and machines, addresses."""

from __future__ import annotations

import re

from torch_errors.prompting.redaction.rule import ADDRESS, EMAIL, HOME, HOST, USER, Rule

# Names that say nothing about a person, and words of every traceback: they stay.
_COMMON = """
    admin administrator all app conda container data debian default docker ec2-user fedora guest home host
    jovyan linux local localhost main miniconda model none opt project public python root runner
    sagemaker-user shared src test torch train ubuntu user username users vscode windows work worker workspace
    you your-name
"""
COMMON = frozenset(_COMMON.split())
# Folders of storage that no person is named after.
_FOLDERS = (
    "datasets?|data|checkpoints?|ckpts?|models?|shared?|tmp|temp|slurm[\\w.-]*|jobs?|envs?|conda|miniconda3?|anaconda3?|miniforge3?|software|"
    "apps?|logs?|runs?|outputs?|results?|projects?|proj|imagenet[\\w.-]*|coco[\\w.-]*|cifar[\\w.-]*|mnist|train|val|test|cache|home|homes|"
    "public|common|users?|groups?|scratch\\d*|work|gpfs|lustre|beegfs|archive|backup|lib|bin|src|code|repos?|venv|opt|root|main|default|"
    "system|local|hf|huggingface|torch|wandb|experiments?|exp|staging|fs\\d*|lfs|hpc|nfs|all|admin|ubuntu|jovyan|runner|workspace|user|dataset\\w*|weights|"
    "pretrained\\w*|images?|videos?|audio|text|corpus|raw|processed|features?|embeddings?|tokenized|shards?|libritts|librispeech|laion\\w*|openwebtext|c4|pile"
)
# Of the languages in which folders are named: Latin, Greek to Georgian and beyond, kana, Han, Hangul.
_LETTERS = "A-Za-z\u00c0-\u024f\u0370-\u1fff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
# Where a folder's name ends, in English and Chinese text.
_END = r"\s/\\\"'<>|:*?，。；：、（）“”"
_NAME = r"[A-Za-z][\w.-]{0,63}"
# A second and third name behind a space, where a path goes on: `Bob Smith\thesis`.
_MORE_NAMES = rf"(?: [A-Z0-9(][^{_END}]{{0,40}}){{1,2}}(?=[\\/])"
_DOMAINS = (
    "com|org|net|edu|gov|mil|int|info|biz|io|ai|dev|app|me|co|tech|cloud|xyz|eu|tv|online|site|science|academy|email|local|internal|lan|"
    "name|pro|blog|page|systems|software|health|bio|tokyo|berlin|asia|"
) + (
    "ac|ae|ar|at|au|be|bg|br|by|ca|ch|cl|cn|cz|de|dk|ee|eg|es|fi|fr|gr|hk|hr|hu|id|ie|il|in|ir|is|it|jp|ke|kr|kz|lt|lu|lv|ma|mx|my|ng|nl|no|nz|pe|"
    "ph|pk|pl|pt|ro|rs|ru|sa|se|sg|si|sk|th|tn|tr|tw|ua|uk|us|uy|vn|za"
)
# Four numbers with dots are a version when they stand behind the name of a package.
_VERSION = (
    r"\b(?:nvidia|cuda|cudnn|cublas|cufft|curand|cusolver|cusparse|nvjitlink|nvtx|tensorrt|nccl|driver|version|build|release|section|rfc|through|opencv|"
    r"lib[a-z]{2,20}|[a-z][a-z0-9_]{1,30}-cu\d\d|py[a-z]{2,20}|v|ver|rev)"
    r"[\w-]{0,40}[\s=:@v\"'-]{1,40}\d[\d.]{2,30}"
    # A line of `pip list` or `conda list`.
    r"|^[a-z][\w.-]{1,60}[ \t]{2,60}\d[\d.]{2,30}(?=[ \t\r]|$)"
    r"|[(\[]\d{1,3}(?:, ?\d{1,3}){1,5}[)\]]"
)
_IPV4 = r"(?!127\.|0\.|255\.)(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w.]*\w)"
_LOCAL = r"localhost\b|127\.|0\.0\.|::"
# A machine: no underscore, so no name of a program. Not where a call or an attribute follows.
_HOST = r"[A-Za-z0-9][A-Za-z0-9-]{0,62}(?:\.[A-Za-z0-9-]{1,63}){0,6}(?![\w(\[-]|\.\w)"
# Expressions in its place, and an argument of a call: `hostname=hostname,`.
_NO_HOST = (
    r"(?:(?:self|cls|args?|os|config|cfg|op|node|spec|env|socket|platform|settings|opts?|params|info|host)\.|[A-Za-z][A-Za-z-]{0,40}[,)]|"
    r"[A-Za-z_][\w.]{0,60}\.(?:hostname|host|name|addr|address|ip|node|server|netloc)\b|"
    r"(?:none|null|str|string|port|name|hostname|host|addr|address|address(?:es)?|any|auto|unknown|is|of|and|or|not|in|for|to|the|can|cannot|must|should|"
    r"will|on|as|at|with|from|if|be|it|that|this|has|was|are|a|an|int|bool|optional)(?![\w.-]))"
)
# Ends of names that only a network of its own knows.
_PRIVATE = r"(?:local|internal|lan|intranet|corp|localdomain|cluster|hpc|private|intra|home\.arpa|localnet)"
# What the machines of clusters are called, with their number.
_MACHINE = (
    r"(?:(?:gpu|cpu|node|compute|worker|login|head|master|host|server|cn|nid|dgx|hgx|a100|h100|v100|rtx|hpc|bigmem|slurm|vm|ws|instance)[a-z]{0,12}[-_]?)"
    r"[a-z]{0,8}\d{1,5}(?:[-_]\w{1,12}){0,3}"
)
# Folders of public sites are no one's home.
_WEB = rf"https?://[\w.-]{{1,100}}\.(?:{_DOMAINS})(?::\d{{2,5}})?/[^\s\"'<>]{{0,400}}"

RULES = (
    # People, before machines
    Rule(
        "user name",
        r"(^[ \t>+-]{0,8}(?:Author|Commit|Committer|AuthorName|Owner|Maintainer|Contact|Tagger|From|To|Cc|Bcc|Reply-To|Signed-off-by|Co-authored-by|Reviewed-by|Acked-by|Tested-by):[ \t]{1,10})[^\n<>@:]{2,80}?(?=[ \t]{0,3}<[^\s<>]{1,100}>)",
        r"\1" + USER,
        catches="Author: Annabel Lee <annabel@example.org>",
        leaves="From: cuda:0 To: cpu",
        ignore_case=True,
    ),
    Rule(
        "e-mail address",
        rf"\b[A-Za-z0-9][A-Za-z0-9._%+-]{{0,63}}@[A-Za-z0-9](?:[A-Za-z0-9-]{{0,62}}\.){{1,5}}(?:{_DOMAINS})\b(?![(\[.]\w|[(\[])",
        EMAIL,
        catches="annabel@example.org",
        leaves="x@self.weight git@github.com:a/b",
        keep=r"\bgit@[\w.-]{1,60}",
    ),
    Rule(
        "e-mail address",
        r"(?<=<)[A-Za-z0-9][^\s<>@\"']{0,63}@[A-Za-z0-9][^\s<>@\"']{0,99}(?=>)",
        EMAIL,
        catches="Annabel <annabel@laptop>",
        leaves="<a@b",
    ),
    Rule(
        "e-mail address",
        r"(\b(?:user\.email|e-?mail|mailto)[\"']?[ \t]{0,3}[:=]?[ \t]{0,3}[\"']?)[^\s\"'<>@]{1,64}@[^\s\"'<>@,;)]{1,100}",
        r"\1" + EMAIL,
        catches="user.email=annabel@laptop",
        leaves="email=None",
        ignore_case=True,
    ),
    Rule(
        "user name",
        r"(\b(?:(?:git[ \t]config[ \t](?:--\w{3,10}[ \t]){0,2})?user\.name(?:=|(?<=config user\.name)[ \t]{1,4}|(?<=global user\.name)[ \t]{1,4}|(?<=local user\.name)[ \t]{1,4})|GIT_(?:AUTHOR|COMMITTER)_NAME=))(?![<${(=:])(?:\"[^\"\n]{2,80}\"|'[^'\n]{2,80}'|[^\s\"'=;,)(][^\n\"';,)(]{1,80}(?=[\"'\n]|$))",
        r"\1" + USER,
        catches='git config --global user.name "Annabel Lee"',
        leaves="user.name",
    ),
    Rule(
        "user name",
        r"(^Author:[ \t]{1,10})[A-Z][\w.-]{0,30}(?: [A-Z][\w.-]{0,30}){1,3}(?=[ \t\r]{0,8}$)",
        r"\1" + USER,
        catches="Author: Annabel Lee",
        leaves="Author: unknown",
    ),
    Rule(
        "user name",
        r"(^[ \t]{0,8}name[ \t]{0,3}=[ \t]{0,3})[^\n\"'=()]{2,60}(?=\r?\n[ \t]{0,8}email[ \t]{0,3}=)",
        r"\1" + USER,
        catches="[user]\n\tname = Annabel Lee\n\temail = annabel@example.org",
        leaves="name = x",
    ),
    Rule(
        "user name",
        r"(\b__(?:author|maintainer|credits)__[ \t]{0,3}=[ \t]{0,3}[\"'])[^\"'\n]{2,120}",
        r"\1" + USER,
        catches='__author__ = "Annabel Lee"',
        leaves="__author__",
    ),
    Rule(
        "user name",
        rf"(\b(?:SUDO_|SLURM_JOB_|KAGGLE_|WANDB_|PG|DB_|MYSQL_|POSTGRES_|HF_|GITHUB_|DOCKER_|SMTP_|FTP_|REMOTE_|GIT_)?(?:USER|LOGNAME|USERNAME|USER_NAME|LNAME)[\"']?\]?[ \t]{{0,2}}[:=][ \t]{{0,2}}[\"']?)(?!(?:{'|'.join(sorted(COMMON))}|None|str|null|os|getpass|args|[\w.]{{1,40}}[(\[])(?:[\"'\s.,)]|$)|\$)[A-Za-z0-9_{_LETTERS}][\w.{_LETTERS}-]{{1,60}}(?![\w.]{{0,40}}[(\[])",
        r"\1" + USER,
        catches="LOGNAME=annabel",
        leaves="USER=root USER=$1",
    ),
    Rule(
        "user name",
        rf"(\b(?:username|user_name|login_name|userName)[\"']?[ \t]{{0,3}}[:=][ \t]{{0,3}}[\"'])(?!(?:{'|'.join(sorted(COMMON))}|assistant|system|str)[\"'])[A-Za-z0-9][\w.@-]{{1,60}}(?=[\"'])",
        r"\1" + USER,
        catches='{"username": "annabel"}',
        leaves='{"username": "user"}',
    ),
    Rule(
        "user name",
        r"(\b(?:UserId|GroupId|uid|gid|euid|groups)=)(?!0\(root\))(?:\d{1,10}\([\w.-]{1,60}\)|(?!\d)[\w.-]{2,60}\(\d{1,10}\))(?:,\d{1,10}\([\w.-]{1,60}\)){0,40}",
        r"\1" + USER,
        catches="uid=1000(annabel) gid=1000(annabel)",
        leaves="uid=1000",
    ),
    Rule(
        "user name",
        r"(^[ \t]{0,4}[-dlcbps][rwxsStT-]{9}[.+@]?[ \t]{1,8}\d{1,8}[ \t]{1,8})(?!root root)[A-Za-z_][\w.-]{1,60}[ \t]{1,8}[\w.-]{1,60}(?=[ \t])",
        r"\1" + USER + " " + USER,
        catches="-rw-r--r-- 1 annabel students 4096 Jan 1 12:00 train.py",
        leaves="-rw-r--r-- 1 root root 4096 Jan 1 12:00 train.py",
    ),
    # Prompts of a shell and calls of others
    Rule(
        "user and host",
        rf"(^[ \t]{{0,8}}(?:\([\w./-]{{1,60}}\)[ \t]{{1,3}}){{0,2}}\[?){_NAME}@{_NAME}(?=:[ \t]?[~/\w.-]?[^\n]{{0,200}}[$#%>](?:[ \t]|$)|[ \t]{{1,2}}[^\n\s]{{1,100}}\][$#%]|[ \t]{{1,2}}[~/][^\n\s]{{0,100}}[ \t]{{0,2}}[$%>#](?:[ \t]|$)|[ \t]{{1,2}}[\w.-]{{1,60}}[ \t][%$](?:[ \t]|$)|[ \t]{{0,2}}MINGW64)",
        rf"\1{USER}@{HOST}",
        catches="[annabel@gpu-node7 thesis]$ python train.py",
        leaves="scores = q@k  # the prompt",
    ),
    Rule(
        "user and host",
        rf"([\s(\[])(?!git@){_NAME}@{_NAME}(?=:[~/][^\n]{{0,200}}[$#%>](?:[ \t]|$))",
        rf"\1{USER}@{HOST}",
        catches="then annabel@gpu-node7:~/thesis$ python train.py",
        leaves="y = a@b: c",
    ),
    Rule(
        "user and host",
        r"(┌──\()[\w.-]{1,60}[㉿@][\w.-]{1,60}",
        rf"\1{USER}@{HOST}",
        catches="┌──(annabel㉿kali)-[~]",
        leaves="┌──",
    ),
    Rule(
        "user and host",
        rf"(\b(?:ssh|scp|sftp|rsync|mosh|sshfs|ssh-copy-id|autossh|paramiko)\b[^\n|;]{{0,200}}?[\s\"'])(?!git@){_NAME}@[A-Za-z0-9][\w.-]{{0,80}}",
        rf"\1{USER}@{HOST}",
        catches="scp best.pt annabel@gpu-node7:/data",
        leaves="ssh git@github.com",
    ),
    Rule(
        "user and host",
        rf"((?:^|[\s\"'(]|://))(?!git@){_NAME}@[A-Za-z0-9][\w.-]{{0,80}}(?=:[~/]\w|:\d{{2,5}}\b|'s password)",
        rf"\1{USER}@{HOST}",
        catches="sending to annabel@login1:/scratch/run",
        leaves="git@github.com:a/b",
    ),
    # Folders
    # Storage of clusters: the folder below that of all people.
    Rule(
        "user name",
        rf"((?:/cluster/work/|/checkpoint/|/rds/user/|(?:^|[\s\"'=(:])/u/|/(?:gpfs|lustre|beegfs)\d{{0,3}}/(?:projects?|proj)/[\w-]{{1,40}}/)(?=[\w-]{{1,40}}/)|/(?:p?scratch|netscratch|gscratch|nobackup|scratch\d{{1,3}}|fastscratch|localscratch|users|people|members|staff|students?|personal)/(?:(?:gpfs|lustre|ssd|hdd|nvme|sd|local|global|work|users?|projects?(?:/[\w-]{{1,40}}(?=/[\w-]{{1,40}}/))?|(?:proj|project|group|grp|team|lab|pi)[\w-]{{1,30}}|proj|[a-z]|\d{{5}})/){{0,3}})(?!(?:{_FOLDERS})(?:[/\s\"':,)]|$))[A-Za-z][\w-]{{1,40}}(?![\w.]*\.\w)(?=[/\s\"':,)]|$)",
        rf"\1{USER}",
        keep=_WEB,
        catches="/scratch/annabel/run1/best.pt",
        leaves="/scratch/datasets/imagenet /scratch/train.py",
    ),
    Rule(
        "user name",
        rf"(/(?:gpfs|lustre|beegfs|ceph|weka|afs|work|data|project|projects|storage|mnt|fsx|share|shared|cluster|nfs)\d{{0,3}}(?:/[\w.-]{{1,40}}){{0,3}}/(?:users?|people|members|students?|staff|user_data|personal)/(?:[a-z]/)?)(?!(?:{_FOLDERS})(?:[/\s\"':,)]|$))[A-Za-z][\w-]{{1,40}}(?![\w.]*\.\w)(?=[/\s\"':,)]|$)",
        rf"\1{USER}",
        keep=_WEB,
        catches="/work/users/annabel/x",
        leaves="/data/users/shared/x",
    ),
    Rule(
        "user name",
        rf"(/(?:gpfs|lustre|beegfs|ceph|weka)\d{{0,3}}/[\w.-]{{1,40}}/(?:(?:{_FOLDERS})/){{0,2}})(?!(?:{_FOLDERS})(?:[/\s\"':,)]|$))[A-Za-z][\w-]{{1,40}}(?![\w.]*\.\w)(?=[/\s\"':,)]|$)",
        rf"\1{USER}",
        keep=_WEB,
        catches="/gpfs/group7/annabel/run",
        leaves="/gpfs/group7/datasets",
    ),
    Rule(
        "home folder",
        r"(?:/(?:mnt|media|Volumes|data|export|cluster|nfs|net|system|storage|private)(?:/[\w.-]{1,40}){0,2})?"
        rf"/(?:home|homes|Users|users|jusers)/(?:[a-z]/(?=[a-z]\w))?(?!(?:shared|public|all|common)\b)[^{_END}()]{{1,64}}(?:{_MORE_NAMES})?",
        HOME,
        keep=_WEB,
        catches="/Users/Bob Smith/thesis/train.py",
        leaves="/usr/lib/python3",
    ),
    Rule(
        "home folder",
        rf"(?:\b[A-Za-z]:(?:\\{{1,4}}|/)(?:Users|Documents and Settings)|\bwsl(?:\$|\.localhost)\\{{1,4}}[\w.-]{{1,40}}\\{{1,4}}home)(?:\\{{1,4}}|/)[^{_END}]{{1,64}}(?:{_MORE_NAMES}|(?: [^{_END}]{{1,40}}){{1,3}}(?=\\))?",
        HOME,
        catches=r"C:\Users\Bob Smith\thesis",
        leaves=r"C:\Program Files\Python",
        ignore_case=True,
    ),
    Rule("home folder", r"(^|[\s\"'=:(])/root(?=[/\s\"':)]|$)", r"\1" + HOME, catches="/root/x.py", leaves="/rootfs"),
    Rule(
        "home folder",
        r"(^|[\s\"'=:(])~[a-z][\w.-]{1,40}(?=/)",
        r"\1" + HOME,
        catches="~annabel/thesis",
        leaves="~/thesis",
    ),
    # Machines
    Rule(
        "host name",
        r"(?<![\w:\\])(\\{2,4})[A-Za-z0-9][\w.-]{1,62}(?=\\{1,2}[\w$])",
        r"\1" + HOST,
        catches=r"\\fileserver\data",
        leaves=r"C:\data\x",
    ),
    # torchrun's report, environment variables, the sockets of torch.distributed.
    Rule(
        "host name",
        rf"\b((?:host|node|rdzv[_-]endpoint|server|master[_-]addr|batchhost|peer)[\"']?(?:[ \t]{{0,12}}:[ \t]{{0,3}}|=|[ \t]{{1,3}}=[ \t]{{1,3}}(?=[\w.\"']{{1,60}}-|[\"']))[\"']?)(?!{_LOCAL}|{_NO_HOST})(?=[\w.]{{0,62}}\d|[\w.]{{0,62}}\w-\w|[\w.-]{{1,100}}\.(?:com|org|net|edu|gov|io|ai|de|cn|uk|fr|ch|jp|{_PRIVATE})\b)(?!\d{{1,9}}\b)(?![A-Za-z]\w{{0,40}}[,)]){_HOST}",
        r"\1" + HOST,
        catches="host: gpu-node7",
        leaves="host: localhost node: 3",
        ignore_case=True,
    ),
    Rule(
        "host name",
        rf"((?:\b(?:hostname|nodename|MASTER_ADDR|MASTER_HOST|SLURMD_NODENAME|SLURM_SUBMIT_HOST|SLURM_LAUNCH_NODE_IPADDR|BatchHost|COMPUTERNAME|NODE_NAME|POD_NAME|HOST_NAME|rdzv[_-]endpoint)[\"']?\]?[ \t]{{0,4}}(?:=[ \t]{{0,3}}|:[ \t]{{1,3}})|(?<![\w-])--(?:master[_-]addr|host|rdzv[_-]endpoint|node[_-]name|hostname)(?:=|[ \t]{{1,3}}))[\"']?)(?i:(?!{_LOCAL}|{_NO_HOST})){_HOST}(?=[ \t]{{0,4}}(?:$|[,:}}\"'#&|;\\])|[ \t]{{1,4}}(?:[A-Z_]{{2,40}}=|-))",
        r"\1" + HOST,
        catches="--master_addr gpunode",
        leaves="hostname = socket.gethostname() MASTER_ADDR=localhost",
    ),
    Rule(
        "host name",
        r"(\b(?:(?:SLURM_(?:JOB_|STEP_)?)?NODELIST|NodeList|SLURM_TOPOLOGY_ADDR|ReqNodeList|ExcNodeList|LSB_HOSTS|LSB_MCPU_HOSTS|PBS_NODEFILE|--nodelist|HOSTNAME|HOSTLIST|--hosts?|--exclude)[\"']?(?:[ \t]{0,3}[:=][ \t]{0,3}|[ \t]{1,3})[\"']?)(?!\(null\)|localhost|127\.|0\.0\.|\$|None|[\w.]{1,40}\()[A-Za-z][\w.,-]{1,200}(?:\[[\d,-]{1,100}\][\w.,-]{0,100}){0,4}",
        r"\1" + HOST,
        catches="SLURM_NODELIST=gpu[01-04]",
        leaves="NodeList=(null)",
    ),
    Rule(
        "host name",
        rf"(\b(?:connect to|connected to|listening on|socket to|connection to|connection from|refused by|lost connection to|could not reach) (?:host )?\[?)(?i:(?!{_LOCAL}|{_NO_HOST}))(?=[A-Za-z0-9.-]{{0,62}}\d|[A-Za-z0-9.]{{1,62}}-[A-Za-z0-9]|[\w.-]{{1,62}}\])(?!\d{{1,9}}\b){_HOST}(?=\]|:\d|[ ,.]|$)",
        r"\1" + HOST,
        catches="failed to connect to [gpu-node7]:29500",
        leaves="connect to [localhost]:29500",
        ignore_case=True,
    ),
    # NCCL, MPI and Slurm begin their lines with the machine.
    Rule(
        "host name",
        rf"((?:^|[\s|>\]]|>:)\[?)(?!{_LOCAL}|cuda:|cpu:){_NAME}(?=:\d{{1,8}}:\d{{1,8}}(?::\d{{1,8}})? \[|:\d{{2,8}}:\d{{2,8}}:\d|:\d{{1,8}}\] \*\*\*)",
        r"\1" + HOST,
        catches="gpunode:1234:5678 [0] NCCL INFO Bootstrap",
        leaves="cuda:0 loss 0.5",
    ),
    Rule(
        "host name",
        rf"(\b(?:srun|slurmstepd|slurmd|sbatch|salloc|mpirun|prterun|pmix|orted|torchrun|slurm)[\w-]{{0,12}}(?:: error)?: (?:[^\n]{{0,120}}? (?:ON|on|node|host) |(?:Node failure on|Job step aborted: Waiting)? ?))(?!error|task|launch|Job|job|unable|Force|Requested|Submitted|lost|fatal|warning|Exceeded|step|the|first|Terminating|Unable|queued|Granted|Nodes?\b|this|CANCELLED|Step|{_LOCAL})[A-Za-z][\w-]{{0,40}}\d[\w.-]{{0,60}}(?=[:\s,\]]|$)",
        r"\1" + HOST,
        catches="srun: error: node12: task 0: Exited with exit code 1",
        leaves="srun: error: task 0: Exited",
    ),
    Rule(
        "host name",
        rf"((?:\b(?:https?|tcp|ws|wss|ray|grpc|redis|nfs|gloo|env|file|rpc|ftp|ssh)://)(?:[\w.-]{{1,60}}@)?)(?!{_LOCAL})[A-Za-z][\w-]{{1,62}}(?=:\d{{2,5}}\b|/(?:lab|tree|notebooks)\b)",
        r"\1" + HOST,
        catches='init_process_group(init_method="tcp://gpunode:23456")',
        leaves="http://localhost:6006 https://pytorch.org",
    ),
    Rule(
        "host name",
        rf"(?<![\w.-])(?=[\w.]{{0,100}}-|(?:[\w-]{{1,40}}\.){{0,2}}{_MACHINE}\.)[A-Za-z0-9][\w-]{{0,62}}(?:\.[\w-]{{1,63}}){{0,5}}?\.{_PRIVATE}\b(?![\w(\[=-]|\.\w)",
        HOST,
        catches="Anns-MacBook-Pro.local",
        leaves="threading.local() args.local_rank .env.local",
        ignore_case=True,
    ),
    Rule(
        "host name",
        rf"((?:@|//|\bhost[\"']?[:=] ?[\"']?|\bssh |\bping |\bto |\bat |\bfrom |\bon |\[))(?!self\.|cls\.|threading\.|torch\.)[a-z][\w-]{{1,60}}(?:\.[\w-]{{1,60}}){{0,5}}\.{_PRIVATE}\b(?![\w(\[=-]|\.\w)",
        r"\1" + HOST,
        catches="redis at cache.internal",
        leaves="from torch.internal import x",
        keep=r"\bfrom [\w.]{1,100} import\b",
    ),
    Rule(
        "host name",
        r"\b(?:[\w-]{1,60}\.){1,5}(?:svc\.cluster\.local|compute\.internal|ec2\.internal|cluster\.local|c\.[\w-]{1,40}\.internal|google\.internal)\b",
        HOST,
        catches="redis.default.svc.cluster.local",
        leaves="cluster.local_rank",
    ),
    Rule(
        "host name",
        r"\b(?:ip|ec2|vm|domU)-\d{1,3}-\d{1,3}-\d{1,3}-\d{1,3}(?:\.[\w-]{1,60}){0,6}",
        HOST,
        catches="ip-10-0-0-1.us-west-2.compute.internal",
        leaves="ip-10",
    ),
    Rule(
        "host name",
        r"\b(?:(?:DESKTOP|LAPTOP|WIN|PC)-[A-Z0-9]{6,12}|[A-Za-z0-9]{2,30}(?:s|'s)?-(?:MacBook|MBP|iMac|Mac-?mini|Mac-Studio|ThinkPad|PC|Laptop|Desktop)[\w-]{0,20})\b",
        HOST,
        catches="on DESKTOP-AB12CD3",
        leaves="DESKTOP-x",
    ),
    Rule(
        "host name",
        r"(\b(?:Linux|Darwin|FreeBSD|CYGWIN_NT\S{0,12}|MINGW64_NT\S{0,12}) )(?!version|kernel|x86_64|aarch64|arm64|release)[\w.-]{1,80}(?= \d{1,2}\.\d{1,3}[.\d]{0,8})",
        r"\1" + HOST,
        catches="Linux gpu-node7 5.15.0-91-generic",
        leaves="Linux x86_64 5.15",
    ),
    Rule(
        "host name",
        rf"(\b(?:on|at|to|from|host|node|nodes|machine|server|worker) ['\"(]?)(?!h100\b|a100\b|v100\b|rtx|(?:[cg]pu|node|worker|server|host|instance|vm)[-_]?\d\b){_MACHINE}(?=['\"),.:;]?(?:\s|$))",
        r"\1" + HOST,
        catches="Running on gpu-node07.",
        leaves="on gpu 0 and node 3",
        ignore_case=True,
    ),
    # Addresses
    Rule(
        "network address",
        rf"(\b[\w-]{{0,30}}(?:ip|addr|address|host|hostname|server|endpoint|master|bind|peer|gateway|dns|nameserver|listen|connection|inet|client)[\"']?\]?[ \t]{{0,3}}[=:]?[ \t]{{0,3}}[\"']?)(?<![.\d]){_IPV4}",
        r"\1" + ADDRESS,
        catches="--ip=10.1.2.3",
        leaves="zip==1.2.3.4 pip 21.2.3.4x",
        ignore_case=True,
    ),
    Rule(
        "network address",
        rf"(?<![\w.=])(?<![A-Za-z]-){_IPV4}",
        ADDRESS,
        catches="connect to 192.168.17.20:29500",
        leaves="nvidia-cublas-cu12 12.1.3.1",
        keep=_VERSION,
    ),
    # Not a slice: with a letter, or four groups.
    Rule(
        "network address",
        r"(?<![\w:.])(?:[23][0-9a-f]{3}|fe80|f[cd][0-9a-f]{2}):(?=[0-9a-f:]{0,40}(?:[a-f]|::\d|(?::[0-9a-f]{1,4}){3}))(?:(?=[0-9a-f:]{0,40}::)(?=[\d:]{0,40}[a-f]|[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){3})[0-9a-f:]{2,40}|(?:[0-9a-f]{1,4}:){6}[0-9a-f]{1,4})(?:%\w{1,15})?(?![\w:])",
        ADDRESS,
        catches="2001:db8::8a2e:370:7334",
        leaves="qkv[:, 2048:4096] loss[3000:3600:2] x[2000::2]",
        ignore_case=True,
    ),
    Rule(
        "network address",
        r"(?<![\w:-])(?:fe80|f[cd][0-9a-f]{2}):[0-9a-f:]{2,40}(?:%\w{1,15})?(?![\w:])",
        ADDRESS,
        catches="fe80::1ff:fe23:4567:890a%eth0",
        leaves="x[fe:80]",
        ignore_case=True,
    ),
    Rule(
        "network address",
        r"(?<![\w:-])(?:(?:[0-9a-f]{2}:){5}|(?=[0-9-]{0,17}[a-f])(?:[0-9a-f]{2}-){5})[0-9a-f]{2}(?![\w:-])",
        ADDRESS,
        catches="00:1B:44:11:3A:B7",
        leaves="24-01-02-12-30-45 12:30:45",
        ignore_case=True,
    ),
)  # fmt: skip
# The name in a home folder, to be found elsewhere in the text.
OWNER = re.compile(
    r"(?:/(?:home|homes|Users)/|[A-Za-z]:(?:\\{1,4}|/)Users(?:\\{1,4}|/)|\b(?:USER|LOGNAME|USERNAME)=)"
    rf"([{_LETTERS}][{_LETTERS}\w.-]{{2,63}})",
    re.ASCII,
)
