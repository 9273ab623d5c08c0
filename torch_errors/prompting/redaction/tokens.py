r"""Formats of tokens that are known by their beginning, whatever they are assigned to.

Sources, in brackets behind the issuer:

| mark | source | read |
|---|---|---|
| g | `config/gitleaks.toml` of gitleaks at 009e025 | November 2026 |
| t | the detectors of trufflehog | November 2026 |
| b | the rules of betterleaks | November 2026 |
| p | public code with such tokens or expressions for them, several repositories | November 2026 |
| d | said to be in the issuer's documentation or client | not checked again: by memory |

A new issuer gets a line in `FORMATS`: what its token begins with, a sample, a similar text that stays. Lengths are lower
bounds below the documented ones: issuers lengthen their tokens (W&B went from 40 to 86 characters), and a beginning such
as `hf_` is rare enough. Formats without a beginning of their own (Mistral, Cohere, Comet, Azure, Kaggle's old key) are
found by the name they are assigned to: `assignments.py`.

detect-secrets and gitleaks themselves cannot be used: the rules also run in the browser, in time linear in the text.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch_errors.prompting.redaction.rule import SECRET, Rule

# Where a token may begin: not inside a word, but behind an escape (`\n`), a percent code (`%3D`) or a color (`[31m`).
START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f][0-9A-Fa-f])|(?<=[0-9]m))"
_HEX = "0123456789abcdef"
_MIXED = "aB3dE5gH"


@dataclass(frozen=True)
class Format:
    """`pattern`: the token, from its first character on. `sample` is made at run time: no scanner takes it for real."""

    issuer: str
    pattern: str
    sample: str
    leaves: str


FORMATS = (
    # Models and data
    Format("Hugging Face (g)", r"hf_[A-Za-z0-9]{16,}", "hf_" + _MIXED * 5, "hf_hub_download hf_transfer=0.1.8"),
    Format("Hugging Face, organization (g)", r"api_org_[A-Za-z0-9]{16,}", "api_org_" + _MIXED * 5, "api_org_id"),
    Format("Hugging Face, OAuth (p)", r"hf_(?:oauth|jwt)_[\w.-]{16,}", "hf_oauth_" + _MIXED * 5, "hf_oauth_client"),
    Format(
        "OpenAI, Anthropic, OpenRouter, LangFuse (g, t)",
        r"sk-(?:proj|svcacct|admin|None|ant|or|lf|service)-[A-Za-z0-9_-]{12,}",
        "sk-" + "or-v1-" + _HEX * 4,
        "sk-or-not",
    ),
    Format("OpenAI, DeepSeek, Moonshot, Qwen (g, t)", r"sk-[A-Za-z0-9]{20,}", "sk-" + _MIXED * 6, "sk-learn-contrib-hdbscan"),
    Format("OpenAI, session (d)", r"sess-[A-Za-z0-9]{20,}", "sess-" + _MIXED * 5, "sess-1"),
    Format("W&B (p)", r"wandb_v\d_[A-Za-z0-9_]{20,}", "wandb_v1_" + _MIXED * 9, "wandb_v1_run"),
    Format("W&B, own server (d)", r"local-[0-9a-f]{32,}", "local-" + _HEX * 3, "local-0123 local-sgd"),
    Format("Replicate (t)", r"r8_[A-Za-z0-9_-]{20,}", "r8_" + _MIXED * 5, "r8_model"),
    Format("Groq (t)", r"gsk_[A-Za-z0-9]{20,}", "gsk_" + _MIXED * 7, "gsk_name"),
    Format("NVIDIA (t)", r"nvapi-[A-Za-z0-9_-]{20,}", "nvapi-" + _MIXED * 8, "nvapi-test"),
    Format("xAI (t)", r"xai-[A-Za-z0-9_]{20,}", "xai-" + _MIXED * 10, "xai-org"),
    Format("Perplexity (g)", r"pplx-[A-Za-z0-9]{20,}", "pplx-" + _MIXED * 6, "pplx-70b-online"),
    Format("Together (p)", r"tgp_v\d_[A-Za-z0-9_-]{20,}", "tgp_v1_" + _MIXED * 5, "tgp_v1_x"),
    Format("Fireworks (d)", r"fw_[A-Za-z0-9]{22,}", "fw_" + _MIXED * 3, "fw_hook fw_backward"),
    Format("Cerebras (b)", r"csk-[A-Za-z0-9]{20,}", "csk-" + _MIXED * 6, "csk-1"),
    Format("RunPod (b, p)", r"rpa_[A-Za-z0-9]{20,}", "rpa_" + _MIXED * 6, "rpa_x"),
    Format("Pinecone (p)", r"pcsk_[A-Za-z0-9_]{20,}", "pcsk_" + _MIXED * 8, "pcsk_x"),
    Format("LangSmith (t)", r"lsv2_(?:pt|sk)_[A-Za-z0-9_]{16,}|ls__[A-Za-z0-9]{20,}", "lsv2_pt_" + _HEX * 2, "lsv2_pt_"),
    Format("Kaggle (p)", r"KGAT_[A-Za-z0-9]{16,}", "KGAT_" + _HEX * 2, "KGAT_model"),
    Format("Modal (d)", r"a[ks]-[A-Za-z0-9]{20,}", "as-" + _MIXED * 3, "as-is ak-47"),
    Format("Jina (p)", r"jina_[A-Za-z0-9]{20,}", "jina_" + _MIXED * 8, "jina_embeddings_v3"),
    Format("Voyage (d)", r"pa-[A-Za-z0-9_-]{40,}", "pa-" + _MIXED * 6, "pa-risc"),
    Format("Tavily (p)", r"tvly-[A-Za-z0-9-]{20,}", "tvly-" + _MIXED * 4, "tvly-python"),
    Format("Firecrawl (d)", r"fc-[0-9a-f]{24,}", "fc-" + _HEX * 2, "fc-layer fc-1024"),
    Format("ElevenLabs, Stripe-like (t)", r"sk_[0-9a-f]{32,}", "sk_" + _HEX * 3, "sk_metrics"),
    Format("Neptune (p)", r"eyJhcGlfYWRkcmVzcyI6[A-Za-z0-9+/=_-]{8,}", "eyJhcGlfYWRkcmVzcyI6" + _MIXED * 9, "eyJ"),
    Format("Lambda (d)", r"secret_[A-Za-z0-9-]{3,}_[0-9a-f]{20,}", "secret_" + "run_" + _HEX * 2, "secret_name_1"),
    Format("ClearML, Prefect, Determined (g)", r"pn[ub]_[A-Za-z0-9]{20,}", "pnu_" + _MIXED * 5, "pnu_x"),
    Format("Roboflow (d)", r"rf_(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{18,}", "rf_" + _MIXED * 3, "rf_classifier"),
    # Code hosts and package registries
    Format("GitHub (g)", r"gh[opusr]_[A-Za-z0-9_]{16,}|github_pat_\w{16,}", "ghp_" + _MIXED * 5, "ghp_x github_pat_1"),
    Format(
        "GitLab (g)",
        r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|ffct|imt|agent|oas)-[A-Za-z0-9_.-]{16,}|GR1348941[\w-]{16,}",
        "glpat-" + _MIXED * 3,
        "glpat-x",
    ),
    Format("Bitbucket, Atlassian (g)", r"AT(?:ATT|CTT|BB)[A-Za-z0-9_=-]{20,}", "ATATT" + _MIXED * 9, "ATTENTION_BACKEND"),
    Format("npm (g)", r"npm_[A-Za-z0-9]{24,}", "npm_" + _MIXED * 5, "npm_config_cache"),
    Format("PyPI (g)", r"pypi-[A-Za-z0-9_-]{30,}", "pypi-" + _MIXED * 8, "pypi-mirror"),
    Format("RubyGems, crates.io (g)", r"rubygems_[0-9a-f]{32,}|cio[A-Za-z0-9]{32}", "rubygems_" + _HEX * 3, "rubygems_x"),
    Format("Docker Hub (p)", r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}", "dckr_pat_" + _MIXED * 4, "dckr_pat_x"),
    Format("Artifactory (g)", r"AKCp[A-Za-z0-9]{40,}|cmVmd[A-Za-z0-9]{40,}", "AKCp" + _MIXED * 9, "AKCp"),
    # Clouds
    Format(
        "AWS (g)",
        r"(?:AKIA|ASIA|AGPA|AIDA|AROA|ABIA|ACCA|AIPA|ANPA|ANVA|A3T[A-Z0-9])[A-Z0-9]{16}(?![A-Za-z0-9])",
        "AKIA" + "2ABCDEFG" * 2,
        "AKIA ASIA",
    ),
    Format("AWS Bedrock (g)", r"ABSK[A-Za-z0-9+/=]{40,}|bedrock-api-key-[\w+/=-]{16,}", "ABSK" + _MIXED * 8, "ABSK"),
    Format("Google (g)", r"AIza[A-Za-z0-9_-]{30,}", "AIza" + _MIXED * 5, "AIza"),
    Format("Google, OAuth (d)", r"ya29\.[A-Za-z0-9_.-]{16,}|GOCSPX-[A-Za-z0-9_-]{16,}", "GOCSPX-" + _MIXED * 4, "ya29.1"),
    Format("Google, refresh and HMAC (d)", r"1//0[A-Za-z0-9_-]{20,}|GOOG1?[A-Z0-9]{18,}", "1//0" + _MIXED * 5, "11//02"),
    Format("Azure, application (g)", r"[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{20,}", "abc8" + "Q~" + _MIXED * 4, "q~1"),
    Format("Alibaba (g), Tencent (d)", r"LTAI[A-Za-z0-9]{12,}|AKID[A-Za-z0-9]{20,}", "LTAI" + _MIXED * 2, "LTAI"),
    Format("Databricks (g)", r"(?:dapi|dkea|dose)[0-9a-f]{30,}(?:-\d)?", "dapi" + _HEX * 2, "dapi"),
    Format("DigitalOcean (g)", r"do[opr]_v1_[0-9a-f]{32,}", "dop_v1_" + _HEX * 4, "dop_v1"),
    Format("Fly.io (g)", r"fo1_[\w-]{20,}|fm[12][ar]?_[A-Za-z0-9+/=]{40,}", "fo1_" + _MIXED * 6, "fo1_x"),
    Format("Heroku, Vercel (g, d)", r"HRKU-[A-Za-z0-9_-]{20,}|vc[apkri]_[A-Za-z0-9]{20,}", "HRKU-" + _MIXED * 4, "HRKU"),
    Format("Supabase (d)", r"sb(?:p|_secret|_publishable)_[A-Za-z0-9_-]{20,}", "sbp_" + _HEX * 2, "sbp_x"),
    Format("Terraform, Pulumi (g)", r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{20,}|pul-[0-9a-f]{32,}", "pul-" + _HEX * 3, "pul-1"),
    Format("Vault (g)", r"hv[sbr]\.[A-Za-z0-9_-]{20,}", "hvs." + _MIXED * 9, "hvs.read"),
    Format("Doppler, Infisical (g)", r"dp\.(?:pt|st|sa|ct|scim)\.[\w.-]{20,}", "dp.pt." + _MIXED * 5, "dp.pt.x"),
    Format("Tailscale (d)", r"tskey-[a-z]{2,12}-[A-Za-z0-9-]{12,}", "tskey-auth-" + _MIXED * 3, "tskey-auth"),
    Format("Cloudflare (g)", r"v1\.0-[0-9a-f]{24}-[0-9a-f]{40,}", "v1.0-" + "ab" * 12 + "-" + _HEX * 9, "v1.0-alpha"),
    Format("ngrok, 1Password (g)", r"ops_eyJ[A-Za-z0-9+/=_-]{30,}|A3-[A-Z0-9]{6}(?:-[A-Z0-9]{5,6}){4,5}", "ops_" + "eyJ" + _MIXED * 5, "ops_x"),
    Format("age (g)", r"AGE-SECRET-KEY-1[A-Z0-9]{20,}", "AGE-SECRET-KEY-" + "1" + "QPZRY9X8" * 7, "AGE-SECRET-KEY"),
    # Messages, payments, monitoring
    Format(
        "Slack (g)",
        r"xox[abceoprsd](?:\.xox[bp])?-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}",
        "xoxb-" + "123456789012-" + _MIXED * 3,
        "xoxb-1",
    ),
    Format("Discord (d)", r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}", "M" + _MIXED * 3 + "." + "Gabc12" + "." + _MIXED * 4, "Module.forward.train"),
    Format("Telegram (g)", r"\d{8,10}:AA?[A-Za-z0-9_-]{32,}", "123456789:" + "AA" + _MIXED * 4, "1234567890:12"),
    Format("SendGrid (g)", r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}", "SG." + _MIXED * 3 + "." + _MIXED * 5, "SG.x.y"),
    Format("Twilio (g)", r"(?:SK|AC)[0-9a-fA-F]{32}(?![A-Za-z0-9])", "SK" + _HEX * 2, "SKIP AC3"),
    Format("Mailgun, Mailchimp (g)", r"key-[0-9a-f]{32}(?![A-Za-z0-9])|[0-9a-f]{32}-us\d{1,2}(?!\d)", "key-" + _HEX * 2, "key-1"),
    Format("Brevo, Resend, Postmark (g, d)", r"xkeysib-[A-Za-z0-9-]{30,}|re_(?=\w{0,60}\d)(?=\w{0,60}[A-Z])[A-Za-z0-9]{6,12}_[A-Za-z0-9]{16,}", "xkeysib-" + _HEX * 4, "re_compile_fast"),
    Format("Stripe (g)", r"[rs]k_(?:live|test|prod)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{16,}", "sk_" + "live_" + _MIXED * 3, "sk_test_"),
    Format("Square, Shopify (g)", r"sq0[a-z]{3}-[\w-]{20,}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{30,}", "shpat_" + _HEX * 2, "shpat_x"),
    Format("Sentry (g)", r"sntry[su]_[A-Za-z0-9+/=_-]{20,}", "sntryu_" + _HEX * 4, "sntryu_x"),
    Format("Grafana (g)", r"gl(?:c|sa)_[A-Za-z0-9+/=_]{24,}", "glsa_" + _MIXED * 4, "glsa_x"),
    Format("New Relic, Datadog (g, d)", r"NR(?:AK|II|JS)-[A-Za-z0-9-]{18,}|dd[ap]p_[A-Za-z0-9]{30,}", "NRAK-" + _MIXED * 4, "NRAK"),
    Format("Notion, Linear, Airtable (g, p)", r"ntn_[A-Za-z0-9]{30,}|lin_(?:api|oauth)_[A-Za-z0-9]{30,}|pat[A-Za-z0-9]{14}\.[0-9a-f]{40,}", "lin_api_" + _MIXED * 5, "ntn_x"),
    Format("Postman, Figma, Dropbox (g, d)", r"PMAK-[0-9a-f-]{40,}|fig[dour]+_[\w-]{30,}|sl\.[\w=-]{60,}", "PMAK-" + _HEX * 4, "PMAK"),
    Format("PostHog, Dynatrace (d)", r"ph[cx]_[A-Za-z0-9]{30,}|dt0[a-z]\d\d\.[A-Z0-9]{20,}\.[A-Z0-9]{30,}", "phx_" + _MIXED * 5, "phc_x"),
    Format("PlanetScale (g)", r"pscale_(?:tkn|pw|oauth)_[\w=.-]{20,}", "pscale_pw_" + _MIXED * 5, "pscale_x"),
    Format("OpenShift, Kubernetes (g)", r"sha256~[\w-]{30,}", "sha256~" + _MIXED * 6, "sha256~1"),
    Format("JSON Web Token", r"ey[JI][A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?", "eyJ" + "hbGciOiJI." + _MIXED * 3, "eyJ.x"),
    Format("JSON Web Token, its first part", r"eyJ(?:hbGciOi|0eXAiOi|raWQiOi)[A-Za-z0-9_-]{4,}", "eyJ" + "hbGciOi" + "JIUzI1NiJ9", "eyJ"),
)  # fmt: skip

RULES = tuple(
    Rule("token", f"{START}(?:{form.pattern})", SECRET, catches=form.sample, leaves=form.leaves) for form in FORMATS
)
