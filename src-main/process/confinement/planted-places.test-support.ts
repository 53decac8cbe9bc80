/** Where people's programs keep credentials, histories and what they know, from the home folder. */
export const plantedPlaces: readonly string[] = `
.ssh/id_ed25519 .gnupg/private-keys-v1.d/k .aws/credentials .azure/accessTokens.json .kube/config .docker/config.json
.netrc .npmrc .yarnrc.yml .pypirc .git-credentials .config/git/credentials .config/gh/hosts.yml .config/glab-cli/config.yml
.gemini/oauth_creds.json .config/github-copilot/apps.json .local/share/opencode/auth.json .cursor/mcp.json .claude.json
.claude/.credentials.json .codex/auth.json .config/Code/User/globalStorage/state.vscdb .aider.conf.yml
.config/Cursor/User/globalStorage/state.vscdb .config/Slack/Cookies .config/discord/Cookies .continue/config.json
.local/share/TelegramDesktop/tdata/key_datas .huggingface/token .cache/huggingface/token .kaggle/kaggle.json
.pulumi/credentials.json .terraformrc .terraform.d/credentials.tfrc.json .config/stripe/config.toml .config/ngrok/ngrok.yml
.config/netlify/config.json .local/share/com.vercel.cli/auth.json .config/configstore/firebase-tools.json .fly/config.yml
.config/heroku/config .bitcoin/wallet.dat .ethereum/keystore/k .config/solana/id.json .electrum/wallets/default_wallet
.composer/auth.json .config/composer/auth.json .config/pip/pip.conf .pip/pip.conf .config/pypoetry/auth.toml .gem/credentials
.bundle/config .cargo/credentials.toml .m2/settings.xml .gradle/gradle.properties .nuget/NuGet/NuGet.Config .condarc
.thunderbird/p/logins.json .mozilla/firefox/p/logins.json .config/google-chrome/Default/Cookies .config/evolution/sources/s
.local/share/evolution/mail/m .local/share/remmina/r.remmina .config/filezilla/sitemanager.xml .ansible/vault_pass
.Xauthority .ICEauthority .env .bash_history .zsh_history .local/share/fish/fish_history .local/share/atuin/history.db
.python_history .psql_history .mysql_history .pgpass .my.cnf .config/rclone/rclone.conf .config/sops/age/keys.txt
.password-store/x.gpg .local/share/keyrings/login.keyring .local/share/kwalletd/kdewallet.kwl .config/1Password/settings
.config/Bitwarden/data.json .config/Signal/config.json .vault-token .config/op/config .s3cfg .databrickscfg .snowsql/config
.config/gcloud/credentials.db .oci/config .config/doctl/config.yaml .config/hcloud/cli.toml .wakatime.cfg .config/wakatime.cfg
.local/state/nvim/shada/main.shada .viminfo .lesshst .wget-hsts .config/mutt/muttrc .msmtprc .config/msmtp/config .irssi/config
.config/hexchat/servlist.conf .local/share/Steam/config/loginusers.vdf .config/obs-studio/basic/p.json .nats/context/c.json
Documents/taxes.pdf Downloads/export.csv Desktop/passwords.txt
`
  .split(/\s+/u)
  .filter((place) => place !== '');
