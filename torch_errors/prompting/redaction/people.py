"""People: their names, folders, e-mail addresses, prompts of their shells."""

from __future__ import annotations

import re

from torch_errors.prompting.redaction.rule import EMAIL, HOME, HOST, USER, Rule

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
# Where homes are, from the root on: a folder `home` of a project, `src/home/view.py`, is no one's.
_HOMES = r"(?:(?<![A-Za-z0-9_.]{3})|(?<=[0-9]m))(?:/[\w.-]{1,64}){0,12}?/(?:home|homes|Users|users|jusers)\d{0,3}/"
_DOMAINS = (
    "com|org|net|edu|gov|mil|int|info|biz|io|ai|dev|app|me|co|tech|cloud|xyz|eu|tv|online|site|science|academy|email|local|internal|lan|"
    "name|pro|blog|page|systems|software|health|bio|tokyo|berlin|asia|"
) + (
    "ac|ae|ar|at|au|be|bg|br|by|ca|ch|cl|cn|cz|de|dk|ee|eg|es|fi|fr|gr|hk|hr|hu|id|ie|il|in|ir|is|it|jp|ke|kr|kz|lt|lu|lv|ma|mx|my|ng|nl|no|nz|pe|"
    "ph|pk|pl|pt|ro|rs|ru|sa|se|sg|si|sk|th|tn|tr|tw|ua|uk|us|uy|vn|za"
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
    # People in files and answers of programs
    Rule(
        "user name",
        rf"(\b[A-Z][A-Z0-9_]{{0,40}}_(?:USER|LOGNAME|USERNAME|USER_NAME)(?:_NAME)?[\"']?\]?[ \t]{{0,2}}[:=][ \t]{{0,2}}[\"']?)(?!(?:{'|'.join(sorted(COMMON))}|None|str|null|os|getpass|args|true|false|postgres|mysql|nobody|[\w.]{{1,40}}[(\[])(?:[\"'\s.,)]|$)|[$<{{%\d])[A-Za-z0-9_{_LETTERS}][\w.@{_LETTERS}-]{{1,60}}(?![\w.]{{0,40}}[(\[])",
        r"\1" + USER,
        catches="JUPYTERHUB_USER=annabel",
        leaves="NB_USER=jovyan PIP_USER=1",
    ),
    Rule(
        "user name",
        rf"(\b(?:logged in as|login as|signed in as|authenticated as|log in as|running as|denied to|(?:ssh[ \t][^\n]{{0,80}}?|sudo )-[lu]|(?:squeue|sacct|scancel|qstat|bjobs|sshare|finger|chage)[ \t](?:[^\n]{{0,60}}?[ \t])?-[uU]):?[= ]{{1,2}}[\"'`]?)(?!(?:{'|'.join(sorted(COMMON))}|a|an|the|your|and|or|this|another|other|postgres|nobody|with|not|www-data)(?:[^\w.-]|\.(?:\s|$)|$)|[\d$<{{])[A-Za-z][\w-]{{1,40}}(?:\.\w[\w-]{{0,40}})?(?![\w(\[=-])",
        r"\1" + USER,
        catches="wandb: Currently logged in as: annabel (team)",
        leaves="log in as root, sudo -u root, denied to the process, pip install --user torch",
        ignore_case=True,
    ),
    Rule(
        "user name",
        rf"((?:\b(?:user|role|username|login|account|owner) |^[ \t]{{0,8}}(?:User|Username|Login|Account|Owner|Submitted by|Started by|Logged-in user)[ \t]{{0,12}}:[ \t]{{1,12}})[\"'`])(?!(?:{'|'.join(sorted(COMMON))}|postgres|nobody|name|id|password|content)[\"'`])[A-Za-z][\w.@-]{{1,60}}(?=[\"'`])",
        r"\1" + USER,
        catches='authentication failed for user "annabel"',
        leaves="the user 'root'",
    ),
    Rule(
        "user name",
        rf"(^[ \t]{{0,8}}(?:User|Username|Login|Account|Owner|Submitted by|Started by|Logged-in user|Email)(?:[ \t]{{0,12}}:[ \t]{{1,12}}|[ \t]{{1,8}}(?=[\w.-]{{2,40}}[ \t\r]{{0,4}}$)))(?!(?:{'|'.join(sorted(COMMON))}|postgres|nobody|None|null|name|unknown|git|id|guide|manual|time|defined|code|input|error|warning|data|\w{{0,30}}(?:ed|ing|tion))(?:[^\w.-]|$))[A-Za-z][\w.-]{{1,40}}(?=[ \t\r]{{0,4}}$|[ \t]\()",
        r"\1" + USER,
        catches="Host cluster\n  User annabel",
        leaves="User: root\nUser code",
    ),
    # The answer of a program on the next line.
    Rule(
        "user name",
        rf"((?:^|[\s$#%>!])(?:whoami|id -un|logname|echo [\"']?\$\{{?(?:USER|LOGNAME|USERNAME)\}}?[\"']?|getpass\.getuser\(\)|os\.getlogin\(\)|git config (?:--\w{{3,8}} ){{0,2}}user\.name)[ \t\r]{{0,4}}\n(?:Out\[\d{{1,4}}\]: )?[\"']?)(?!(?:{'|'.join(sorted(COMMON))})[\"']?[ \t\r]*$)[A-Za-z][\w.\\ -]{{1,60}}(?=[\"']?[ \t\r]{{0,4}}$)",
        r"\1" + USER,
        catches="$ whoami\nannabel",
        leaves="$ whoami\nroot",
    ),
    # squeue, ps, last, nvidia-smi: the column below USER is aligned with it, so the rule knows the columns before it.
    Rule(
        "user name",
        r"(^[ \t]{1,20}JOBID[ \t]{1,20}PARTITION[ \t]{1,20}NAME[ \t]{1,20}USER[^\n]{1,200}\n[ \t]{0,20}[\d_\[\]%-]{1,30}[ \t]{1,20}[\w,-]{1,40}[ \t]{1,30}[^\s]{1,60}[ \t]{1,20})[A-Za-z][\w.-]{1,40}",
        r"\1" + USER,
        catches="  JOBID PARTITION NAME USER ST\n  12 gpu train annabel R",
        leaves="  JOBID PARTITION NAME USER ST",
    ),
    Rule(
        "user name",
        r"(^[ \t]{0,20}\d{2,10}(?:_\d{1,6}|_\[[\d,%-]{1,40}\])?[ \t]{1,20}[\w,-]{1,40}[ \t]{1,30}[^\s]{1,60}[ \t]{1,20})[A-Za-z][\w.-]{1,40}(?=[ \t]{1,10}(?:R|PD|CG|CD|F|S|TO|CA|RUNNING|PENDING|COMPLETING)[ \t]{1,20}[\d:-]{1,20}\b)",
        r"\1" + USER,
        catches="  1234 gpu train annabel R 1:02 1 x",
        leaves="  1234 gpu train",
    ),
    # git: files of settings, blame, authors
    Rule(
        "user name",
        r"(\[user\][ \t\r]{0,4}\n(?:[ \t]{0,8}(?:email|signingkey)[ \t]{0,3}=[^\n]{1,200}\n){0,2}[ \t]{0,8}name[ \t]{0,3}=[ \t]{0,3})[^\n\"'=()]{2,60}",
        r"\1" + USER,
        catches="[user]\n  name = Annabel Lee",
        leaves="[project]\n  name = thesis",
    ),
    Rule(
        "user name",
        r"(^\^?[0-9a-f]{7,40} (?:[\w./-]{1,100}[ \t]{1,20})?\()[^\n()]{2,60}?(?=[ \t]{1,40}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}[ \t]{1,8}\d{1,6}\))",
        r"\1" + USER,
        catches="8f3e1c2b (Annabel Lee 2024-01-02 12:30:45 +0100 12) x",
        leaves="8f3e1c2b (fix the learning rate)",
    ),
    Rule(
        "user name",
        r"(--(?:author|committer)[= ][\"']?)[^\n<>\"'=]{2,80}?(?=[ \t]{0,3}<)",
        r"\1" + USER,
        catches="git commit --author='Annabel Lee <x>'",
        leaves="git log --author=<name>",
    ),
    Rule(
        "user name",
        r"(^[ \t]{0,8}(?:[#*;%]|//|\\\\|--|\"\"\")[ \t*]{0,4}(?:[@:\\]authors?:?|Authors?:|Created by:?|Written by:?|Maintainer:|Contact:)[ \t]{1,12})(?!The |unknown|see |None)[A-Za-z][\w.'-]{1,30}(?:[ ,]{1,2}[A-Za-z][\w.'-]{0,30}){0,4}",
        r"\1" + USER,
        catches="# @author: Annabel Lee",
        leaves="# Author: The PyTorch Team",
    ),
    Rule(
        "user name",
        r"(\bgit[ \t]config[ \t][^\n]{0,60}?user\.name[ \t=]{1,4})(?![<${(=:])(?:\"[^\"\n]{2,80}\"|'[^'\n]{2,80}'|[^\s\"'=;,)(-][^\n\"';,)(]{1,80}(?=[\"'\n]|$))",
        r"\1" + USER,
        catches="git config --global --add user.name 'Annabel Lee'",
        leaves="git config --get user.name",
    ),
    Rule(
        "user name",
        r"(^[ \t]{0,8}user\.name[ \t]{1,8})(?!is\b|in\b|and\b|or\b|not\b|if\b|for\b|from\b|as\b|must\b|was\b)[A-Z][\w.'-]{1,30}(?: [A-Z][\w.'-]{0,30}){0,3}(?=[ \t\r]{0,4}$)",
        r"\1" + USER,
        catches="user.name Annabel Lee",
        leaves="user.name is None",
    ),
    # Prompts of a shell and calls of others
    Rule(
        "user and host",
        rf"(^[ \t]{{0,4}}(?:\([\w./-]{{1,60}}\)[ \t]{{1,3}})?(?:[➜❯λ→▶»]|[╭┌][─-]{{0,4}})[ \t]{{0,3}}(?:\([\w./-]{{1,60}}\)[ \t]{{1,3}})?\[?){_NAME}@{_NAME}",
        rf"\1{USER}@{HOST}",
        catches="➜  annabel@gpunode ~ git:(main) ✗",
        leaves="➜  thesis git:(main) ✗",
    ),
    Rule(
        "user and host",
        rf"(^[ \t]{{0,8}}(?:\([\w./-]{{1,60}}\)[ \t]{{1,3}}){{0,2}}\[?){_NAME}@{_NAME}(?=(?::|[ \t]{{1,2}})[~/\w.-][^\n\s]{{0,100}}[ \t]{{0,2}}[%❯➜]|[ \t](?:in|at|on)[ \t][~/])",
        rf"\1{USER}@{HOST}",
        catches="annabel@gpunode:/data/x% python x.py",
        leaves="x@w in place",
    ),
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
    Rule(
        "user name",
        rf"(/(?:run/)?media/)(?!(?:cdrom|usb|floppy|{_FOLDERS})\d*[/\s\"']|(?:{_FOLDERS})$)[A-Za-z][\w.-]{{1,40}}(?=/[\w.-])",
        rf"\1{USER}",
        keep=_WEB,
        catches="/run/media/annabel/usb/x.pt",
        leaves="/media/data/x.pt",
    ),
    # Per user: `/tmp/torchinductor_annabel`.
    Rule(
        "user name",
        r"(/(?:tmp|var/tmp|dev/shm|local|scratch)/(?:[\w.-]{1,40}/)?(?:torchinductor_|torch_extensions_|pytest-of-|jupyter[_-]|ray[_-]|vscode-(?!server|remote|ipc|git|ssh)|pip-(?!install|build|req|unpack|ephem|wheel|metadata|modern|standalone|uninstall|target|download|record)|triton[_-]|matplotlib-|wandb-(?!artifact|media)|tensorboard-(?!info)|ssh-|tmux-|hydra_|cache_|numba_|runtime-|slurm[_-]|job[_-]|user[_-]|krb5cc_|hsperfdata_))(?![\d_]|[0-9a-f]{8}|(?:root|cache|tmp|user|test|session|data|main|env|build|worker|server|install)\b)[A-Za-z][\w.-]{2,40}",
        rf"\1{USER}",
        catches="/tmp/torchinductor_annabel/ab/x.py",
        leaves="/tmp/torchinductor_root/ab/x.py",
    ),
    Rule(
        "user name",
        rf"((?:/checkpoint/|/rds/user/))(?!(?:{_FOLDERS})(?:[/\s\"':,)]|$)|\w{{0,40}}\.)[A-Za-z][\w-]{{1,40}}(?=[\s\"':,)]|$)",
        rf"\1{USER}",
        keep=_WEB,
        catches="/rds/user/ab123",
        leaves="/checkpoint/model",
    ),
    # Percent codes, as in addresses.
    Rule(
        "home folder",
        r"%2F(?:home|Users|homes)\d{0,2}%2F[A-Za-z][\w.-]{1,40}",
        HOME,
        catches="path=%2Fhome%2Fannabel%2Fx.py",
        leaves="%2Fhomepage%2F",
        ignore_case=True,
    ),
    Rule(
        "home folder",
        rf"(\\{{1,4}}(?:home|homes|Users)\\{{1,4}})(?!(?:{_FOLDERS})\b)[A-Za-z][\w.-]{{1,40}}(?=\\)",
        rf"\1{USER}",
        catches="\\\\nas\\home\\annabel\\x",
        leaves="\\home\\shared\\x",
    ),
    # Storage of clusters: the folder below that of all people.
    Rule(
        "user name",
        rf"((?:/cluster/work/|/checkpoint/|/rds/user/|(?:^|[\s\"'=(:])/u/|/(?:gpfs|lustre|beegfs)\d{{0,3}}/(?:projects?|proj)/[\w-]{{1,40}}/)(?=[\w-]{{1,40}}/)|/(?:p?scratch(?:[_-][a-z]{{1,8}})?|netscratch|gscratch|nobackup|scratch\d{{1,3}}|fastscratch|localscratch|users|members|staff|students?|personal)/(?:(?:gpfs\d?|lustre\d?|fs\d{{1,2}}|ssd|hdd|nvme|sd|local|global|work|gpu|cpu|ml|nlp|cv|ai|cs|eng|phys|physics|bio|dl|vision|speech|robotics|users?|projects?(?:/[\w-]{{1,40}}(?=/[\w-]{{1,40}}/))?|(?:proj|project|group|grp|team|lab|pi)[\w-]{{1,30}}|proj|[a-z]|\d{{5}})/){{0,3}})(?!(?:{_FOLDERS})(?:[/\s\"':,)]|$))[A-Za-z][\w-]{{1,40}}(?![\w.]*\.\w)(?=[/\s\"':,)]|$)",
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
        rf"{_HOMES}(?:[a-z]/(?=[a-z]\w))?(?!(?:shared|public|all|common)\b)[^{_END}()]{{1,64}}(?:{_MORE_NAMES})?",
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
)  # fmt: skip
# The name in a home folder, to be found elsewhere in the text.
OWNER = re.compile(
    rf"(?:{_HOMES}|[A-Za-z]:(?:\\{{1,4}}|/)Users(?:\\{{1,4}}|/)|\b(?:USER|LOGNAME|USERNAME)=)"
    rf"([{_LETTERS}][{_LETTERS}\w.-]{{2,63}})",
    re.ASCII,
)
