"""Machines and addresses of networks, as clusters, launchers and sockets name them."""

from __future__ import annotations

from torch_errors.prompting.redaction.rule import ADDRESS, HOST, Rule

_NAME = r"[A-Za-z][\w.-]{0,63}"
# Four numbers with dots are a version when they stand behind the name of a package.
_VERSION = (
    r"\b(?:nvidia|cuda|cudnn|cublas|cufft|curand|cusolver|cusparse|nvjitlink|nvtx|tensorrt|nccl|driver|version|build|release|section|rfc|through|opencv|"
    r"lib[a-z]{2,20}|[a-z][a-z0-9_]{1,30}-cu\d\d|py[a-z]{2,20}|v|ver|rev)"
    r"[\w-]{0,40}[\s=:@v\"'-]{1,40}\d[\d.]{2,30}"
    # A line of `pip list` or `conda list`.
    r"|^[a-z][\w.-]{1,60}[ \t]{2,60}\d[\d.]{2,30}(?=[ \t\r]|$)"
    # Behind the name of a product. Addresses that begin with one digit are rare.
    r"|\b(?!(?:to|at|from|on|host|server|ip|address|addr|node|connect|connected|via|by|dns|nameserver|inet|ping|ssh|is|use|using)\b)"
    r"[a-z][\w-]{1,30} [1-9]\.\d{1,2}\.\d{1,2}\.\d{1,2}\b"
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

RULES = (
    # Machines
    Rule(
        "host name",
        r"(?<![\w:\\])(\\{2,4})(?!x[0-9a-f]{2})[A-Za-z0-9][\w.-]{1,62}(?=\\{1,2}[\w$])",
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
        r"(\b(?:(?:SLURM_(?:JOB_|STEP_)?)?NODELIST|NodeList|SLURM_TOPOLOGY_ADDR|ReqNodeList|ExcNodeList|LSB_HOSTS|LSB_MCPU_HOSTS|PBS_NODEFILE|--nodelist|HOSTNAME|HOSTLIST|--hosts?|--exclude)[\"']?(?:[ \t]{0,3}[:=][ \t]{0,3}|[ \t]{1,3})[\"']?)(?!\(null\)|localhost|127\.|0\.0\.|\$|None|[\w.]{1,40}\(|[a-z]\w{0,40}_\w{0,40}(?:[\s,)]|$))[A-Za-z][\w.,-]{1,200}(?:\[[\d,-]{1,100}\][\w.,-]{0,100}){0,4}",
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
    # Answers of programs, on the next line.
    Rule(
        "host name",
        rf"((?:^|[\s$#%>!])(?:hostname(?: -[fsAI])?|uname -n|hostnamectl hostname|cat /etc/hostname|echo [\"']?\$\{{?(?:HOSTNAME|HOST|\w{{0,20}}NODELIST|SLURMD_NODENAME|MASTER_ADDR)\}}?[\"']?|socket\.(?:gethostname|getfqdn)\(\)|platform\.node\(\)|scontrol show hostnames?[^\n]{{0,60}})[ \t\r]{{0,4}}\n(?:Out\[\d{{1,4}}\]: )?[\"']?)(?!{_LOCAL}|(?i:error|traceback|command|none)\b)[A-Za-z][\w.,-]{{1,100}}(?:\[[\d,-]{{1,60}}\][\w.,-]{{0,60}}){{0,3}}(?=[\"']?[ \t\r]{{0,4}}$)",
        r"\1" + HOST,
        catches="$ hostname\ngpunode",
        leaves="$ hostname\nlocalhost",
    ),
    # (host, port) and host<port> of torch.distributed and NCCL
    Rule(
        "host name",
        rf"(\b(?:connect(?:ing|ed)?|connect\(\)|listen(?:ing)?|bind|bound|socket|reach|accept(?:ed)?)[^\n()]{{0,40}} \(?(?:to|from|on|at) \[?\(?[\"']?|\b(?:TCPStore|HTTPStore|PrefixStore|create_connection|connect|bind|init_rpc)\(\(?(?:host_?name=)?[\"'])(?!{_LOCAL}|(?i:the|host|port|address|server|master|worker|rank)\b){_NAME}(?=[\"']?, ?(?:port ?= ?)?\d{{2,5}}\b|<\d{{1,5}}>|\]:\d)",
        r"\1" + HOST,
        catches="trying to connect to (gpunode, 29500)",
        leaves='TCPStore("localhost", 29500)',
    ),
    # Launchers: prefix of their lines, files of hosts, options
    Rule(
        "host name",
        rf"(^)(?!{_LOCAL}|(?i:warning|error|info|debug|traceback|note|rank)\b){_NAME}(?=: (?:\[\d{{4}}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[^\]\n]{{0,10}}\] \[[A-Z]{{4,8}}\]))",
        r"\1" + HOST,
        catches="worker-a: [2024-01-02 12:30:45,123] [INFO] [launch.py:145:main]",
        leaves="[2024-01-02 12:30:45,123] [INFO] [launch.py:145:main]",
    ),
    Rule(
        "host name",
        rf"(^[ \t]{{0,8}})(?!{_LOCAL}){_NAME}(?=[ \t]{{1,8}}(?:max[_-])?slots ?= ?\d)",
        r"\1" + HOST,
        catches="gpunode slots=8",
        leaves="localhost slots=8",
    ),
    Rule(
        "host name",
        rf"(\b(?:mpirun|mpiexec|orterun|prterun|horovodrun|srun|sbatch|salloc|sinfo|squeue|pdsh|clush|pssh|parallel-ssh|deepspeed|scontrol|accelerate|torchrun|ray|dask-ssh|bsub|qsub|oarsub|colossalai)\b[^\n|;]{{0,300}}?[ \t](?:-H|-w|-host|--hosts?|--nodelist|--include|--exclude|--master_addr|--master-addr|-m)(?:=|[ \t]{{1,3}})[\"']?)(?:(?:localhost|127\.0\.0\.1)(?::\d{{1,4}})?,)?(?!{_LOCAL}|[$<{{-]|span|select)[A-Za-z][\w.-]{{0,60}}(?:\[[\d,-]{{1,60}}\]|[:,@]|[\w.-]){{0,300}}",
        r"\1" + HOST,
        catches="mpirun -np 16 -H gpunode:8,node-b:8 python x.py",
        leaves="mpirun -H localhost:2 python x.py",
    ),
    # Variables: `REDIS_HOST`, `WORKER_HOSTS` and the like
    Rule(
        "host name",
        rf"(\b[A-Z][A-Z0-9_]{{0,40}}_(?:HOST|HOSTS|HOSTNAME|HOSTNAMES|NODES|NODELIST|NODE_LIST|SERVER|MASTER|ADDR|HOSTLIST)[\"']?\]?[ \t]{{0,3}}[:=][ \t]{{0,3}}[\"']?)(?!{_LOCAL}|[$<{{(\[%*\d]|(?i:none|null|true|false|auto|any|all|os|self|args|str|num|default|yes|no|linux|x86|https?)\b|[\w.]{{1,60}}[(\[]|\w{{0,40}}_\w{{0,40}}\.|\w{{1,40}}\.\w{{0,40}}_|[a-z]\w{{0,40}}_\w{{0,40}}(?:[\s,)]|$))[A-Za-z][\w-]{{1,60}}[\w.:,;-]{{0,300}}(?:\[[\d,-]{{1,60}}\][\w.,-]{{0,60}}){{0,3}}",
        r"\1" + HOST,
        catches="WORKER_HOSTS=gpunodea:2222,gpunodeb:2222",
        leaves="DB_HOST=localhost NUM_NODES=4 MY_HOST=os.environ['X']",
    ),
    # Sentences and tables
    Rule(
        "host name",
        rf"(\b(?:(?:running|started|launched|executing|scheduled|master|job|process|rank \d{{1,5}}|training) (?:is )?on (?:host|node|machine|server)|on (?:host|hostname|machine)|(?:connect|connection|ssh|log ?in) to host|resolve (?:host ?name|host)|reach(?:ing)? host|unknown host|host ?name|node ?name)(?: is|:| =)?[ \t]{{1,3}}[\"'`]?)(?!{_LOCAL}|(?:{{|\$|<)|(?:is|was|of|and|or|not|for|to|in|the|can|cannot|could|must|with|memory|device|side|name|port|key|error|lookup|resolution|resolved|mismatch|verification|failed|unreachable|a|an|that|this|from|as|at|on|if|per|\d{{1,4}}|has|will|should|does|which|each|only|provided|given|string|none|null|str|unknown|missing|\w{{1,20}}(?:ed|ing|ble|ly))\b)[A-Za-z][\w-]{{1,60}}(?:\.[\w-]{{1,60}}){{0,6}}(?![\w(\[=])(?=[\"'`,:;)]|\.(?!\w)|[ \t]{{1,3}}port\b|[ \t\r]{{0,4}}$)",
        r"\1" + HOST,
        catches="Running on host gpunode",
        leaves="on host memory, hostname is missing, running on host: localhost",
        ignore_case=True,
    ),
    Rule(
        "host name",
        rf"(\b(?:host|hostname|Host|Hostname|HostName|HOSTNAME|Node|NodeName|Server|Machine)[\"']?(?:=[\"']|[ \t]{{0,8}}:[ \t]{{1,4}}))(?!{_LOCAL}|{_NO_HOST}|(?i:linux|windows|darwin|true|false|gpu|cpu|cuda|tensor|missing|required|all|both|each|default|ready|running|idle|down|error|failed|warning)\b)[A-Za-z][A-Za-z0-9-]{{2,60}}(?:\.[a-z0-9-]{{1,60}}){{0,6}}(?=[\"'],? ?(?:port|:\d)|[ \t\r]{{0,4}}$)",
        r"\1" + HOST,
        catches="HTTPConnectionPool(host='gpunode', port=8000)",
        leaves="host='localhost', port=1; Host: missing",
    ),
    Rule(
        "host name",
        r"(^[ \t]{1,8}HostName[ \t]{1,8})(?!%h|localhost|127\.)[A-Za-z][\w.-]{1,100}(?=[ \t\r]{0,4}$)",
        r"\1" + HOST,
        catches="Host x\n  HostName login.uni-example.de",
        leaves="  HostName %h.example.org",
    ),
    Rule(
        "host name",
        rf"(\b(?:(?:allocated |compute |assigned |worker |down |drained |used )?(?:nodes?|workers|hosts|nodelist)(?: are| is)?(?:[ \t]{{0,4}}[:=])?|waiting for|task launch for) [\"'\[]{{0,2}})(?!{_LOCAL})(?:[a-z][a-z0-9]{{0,20}}(?:-[a-z0-9]{{1,20}}){{0,4}}\[\d[\d,-]{{0,60}}\]|(?=[a-z-]{{0,30}}\d)[a-z][a-z0-9]{{1,20}}-[a-z0-9-]{{1,40}}(?:[, ]{{1,2}}[\"']?[a-z][a-z0-9]{{1,20}}-[a-z]{{0,8}}\d[a-z0-9-]{{0,40}}){{0,40}}(?=[\"'\]\s.,;)]|$))",
        r"\1" + HOST,
        catches="Nodes gpu[01-04] are down, workers: gpu-a1,gpu-a2",
        leaves="nodes: 4, workers: 8, node-features",
        ignore_case=True,
    ),
    Rule(
        "host name",
        rf"(\bConnection (?:to|from) )(?!{_LOCAL}|(?i:the|a|an|server|host|database|port|redis|peer)\b){_NAME}(?= (?:closed|port|timed out|refused|reset|lost|established))",
        r"\1" + HOST,
        catches="Connection to gpunode closed.",
        leaves="Connection to server closed",
    ),
    Rule(
        "host name",
        rf"((?:^|[$#%>!] ?)(?:ssh|mosh|ping|telnet|nc|traceroute)[ \t]{{1,3}}(?:-[\w]{{1,3}}(?:[ \t]{{1,2}}\d{{1,5}})?[ \t]{{1,3}}){{0,3}})(?!{_LOCAL}|(?i:to|is|into|and|or|the|from|with|keys?|config|error|agent|server|client|version|access|works?|failed|tunnel|daemon|in|for|on|as|session|host|port|your|a)\b)[a-z][a-z0-9-]{{2,60}}(?:\.[a-z0-9-]{{1,60}}){{0,5}}(?=[ \t\r]{{0,4}}$|[ \t][a-z\"'-])",
        r"\1" + HOST,
        catches="ssh gpunode12",
        leaves="ssh keys",
    ),
    Rule(
        "host name",
        rf"(\b(?:scp|rsync)[ \t][^\n|;:]{{1,200}}?[ \t])(?!{_LOCAL}|-|https?\b|[a-z]:){_NAME}(?=:[~/.\w])",
        r"\1" + HOST,
        catches="scp x.pt gpunode:/data/x",
        leaves="rsync -a x localhost:/data",
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
