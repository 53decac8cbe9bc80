import {
  effect,
  sameForNames,
  type ParsedArguments,
  hasOption,
  type EffectFinder,
  type Program,
  type ProgramTable,
} from '../program.js';

const CONNECTS = 'connects to another machine: …';
const anywhere = (): readonly string[] => ['?'];
const named = ({ operands }: ParsedArguments): readonly string[] =>
  operands.length === 0 ? ['?'] : operands.slice(0, 1).map((operand) => (operand === null ? '?' : `host ${operand}`));

const SENDS = [
  'd',
  'data',
  'data-raw',
  'data-binary',
  'data-urlencode',
  'data-ascii',
  'json',
  'F',
  'form',
  'form-string',
  'T',
  'upload-file',
];

const POSTS = ['post-data', 'post-file', 'body-file', 'body-data'];
const SENDS_DATA = 'sends data to …';
const DOWNLOADS = 'downloads from …';

const remote = (more: Partial<Program> = {}): Program => ({
  nature: 'runs',
  anyOption: true,
  needs: anywhere,
  tells: () => [CONNECTS],
  ...more,
});
/** Other than a client that looks something up: what it is told is done there. */
const acts = (more: Partial<Program>): Program => remote({ tells: () => [], warns: () => [CONNECTS], ...more });
const cloud = (words: string): Program => remote({ effects: [effect('notice', words)], operands: ['value'] });

/** Effects of a service's subcommand: those that only look publish nothing. */
const publishing =
  (looksOnly: RegExp, words: string): EffectFinder =>
  ({ operands }) =>
    operands.some((word) => looksOnly.test(word ?? '')) ? [] : [effect('publishes', words)];

/** Programs that talk to other machines. */
export const NETWORK: ProgramTable = {
  curl: {
    nature: 'edits',
    downloads: true,
    options: {
      letters: 'sSLfikvI0146gN',
      long: 'silent show-error location fail include insecure verbose head compressed no-progress-meter',
    },
    more: 'o:writes output:writes D:writes dump-header:writes c:writes cookie-jar:writes O! remote-name! J! K:program config:program d:data data:data data-raw:text data-binary:data data-urlencode:data data-ascii:data json:data F:data form:data form-string:text T:reads upload-file:reads H:data header:data b:data cookie:data E:reads cert:reads key:reads cacert:reads capath:reads A:text user-agent:text e:text referer:text u:text user:text x:host proxy:host socks5:host X:value request:value w:text write-out:text m:value max-time:value connect-timeout:value retry:value retry-delay:value url:host resolve:text connect-to:host trace:writes trace-ascii:writes stderr:writes netrc-file:reads unix-socket:reads y:value Y:value z:value r:value range:value output-dir:writes interface:value dns-servers:value',
    operands: ['host'],
    needs: (given) =>
      given.operands.length === 0 && !given.options.has('url')
        ? hasOption(given, 'V', 'version', 'h', 'help')
          ? []
          : ['?']
        : [],
    tells: (given) => (hasOption(given, ...SENDS) || given.operands.length === 0 ? [] : [DOWNLOADS]),
    warns: (given) => (hasOption(given, ...SENDS) ? [SENDS_DATA] : []),
  },
  wget: {
    nature: 'edits',
    downloads: true,
    options: {
      letters: 'qvcNSr',
      long: 'quiet no-verbose continue timestamping server-response no-check-certificate spider',
    },
    more: 'O:writes output-document:writes P:writes directory-prefix:writes o:writes output-file:writes a:writes i:reads input-file:reads e:program execute:program config:program use-askpass:program post-file:reads body-file:reads post-data:text body-data:text header:text U:text user-agent:text T:value t:value w:value l:value A:text R:text save-cookies:writes load-cookies:reads ca-certificate:reads method:value',
    operands: ['host'],
    needs: (given) =>
      hasOption(given, 'i', 'input-file') ||
      (given.operands.length === 0 && !hasOption(given, 'V', 'version', 'h', 'help'))
        ? ['?']
        : [],
    tells: (given) => (hasOption(given, ...POSTS) ? [] : [DOWNLOADS]),
    warns: (given) => (hasOption(given, ...POSTS) ? [SENDS_DATA] : []),
  },
  ...sameForNames('http https xh xhs httpie', {
    nature: 'edits',
    downloads: true,
    operands: ['host', 'data'],
    more: 'o:writes output:writes A:value a:text session:text f! j! v! b! h!',
    needs: ({ operands }: ParsedArguments) => (operands.length === 0 ? ['?'] : []),
  } satisfies Program),
  ...sameForNames(
    'fetch aria2c axel lynx links w3m elinks youtube-dl yt-dlp gallery-dl',
    remote({ downloads: true, operands: ['host'] }),
  ),
  ...sameForNames(
    'ssh slogin mosh autossh',
    acts({
      operands: ['host', 'shell'],
      needs: named,
      more: 'o:program F:program i:reads L:text R:text D:text p:value l:value E:writes J:host W:host S:reads',
    }),
  ),
  ...sameForNames(
    'scp sftp',
    acts({ operands: ['reads'], needs: anywhere, more: 'o:program F:program i:reads S:program P:value J:host' }),
  ),
  ...sameForNames('ssh-copy-id ssh-keyscan', remote({ operands: ['host'], needs: named })),
  ...sameForNames('ssh-keygen ssh-add ssh-agent', {
    nature: 'edits',
    operands: ['reads'],
    more: 'f:writes N:text C:text t:value b:value',
  } satisfies Program),
  ...sameForNames('nc ncat netcat socat telnet ftp', acts({ downloads: true, operands: ['text'], needs: named })),
  ...sameForNames(
    'tftp nmap ping ping6 traceroute tracepath mtr dig nslookup host whois drill arping iperf iperf3',
    remote({ operands: ['text'], needs: named }),
  ),
  ...sameForNames(
    'mail mailx sendmail mutt msmtp swaks',
    remote({ operands: ['text'], effects: [effect('publishes', 'sends mail')] }),
  ),
  ...sameForNames(
    'gh glab hub',
    remote({
      operands: ['text'],
      more: 'F:reads body-file:reads R:value repo:value H:text f:text field:data input:reads q:text jq:text',
      findEffects: publishing(
        /^(?:list|ls|view|status|diff|checks|watch|download|checkout|clone|search|browse|auth|config|help|version|completion)$/u,
        'changes something on the code host: what others see',
      ),
      needs: () => ['api.github.com', 'github.com'],
    }),
  ),
  ...sameForNames(
    'aws gcloud gsutil bq az oci doctl hcloud linode-cli ibmcloud aliyun s3cmd b2 rclone mc',
    cloud('talks to a cloud account'),
  ),
  ...sameForNames(
    'vercel netlify firebase fly flyctl heroku surge wrangler now railway render eb cap serverless sls sam cdk copilot amplify expo eas supabase',
    remote({
      operands: ['text'],
      findEffects: publishing(
        /^(?:list|ls|logs|status|whoami|dev|info|--version|version|help|local)$/u,
        'deploys, or changes what is deployed',
      ),
    }),
  ),
  ...sameForNames(
    'kubectl oc helm helmfile kustomize k9s argocd istioctl flux skaffold tilt',
    acts({
      operands: ['text'],
      more: 'f:reads filename:reads kubeconfig:reads',
      findEffects: publishing(
        /^(?:get|describe|logs|top|explain|version|config|template|lint|diff|status|list|show|cluster-info|api-resources|build)$/u,
        'changes what runs in a cluster',
      ),
    }),
  ),
  ...sameForNames(
    'terraform tofu terragrunt pulumi ansible ansible-playbook packer vagrant',
    remote({
      operands: ['text'],
      findEffects: publishing(
        /^(?:fmt|validate|plan|show|output|version|graph|providers|state|preview|--version|--check|--syntax-check)$/u,
        'changes machines elsewhere',
      ),
    }),
  ),
  ...sameForNames(
    'psql mysql mariadb mongo mongosh redis-cli mysqldump pg_dump pg_restore mysqladmin createdb dropdb sqlcmd clickhouse-client cqlsh influx etcdctl',
    remote({ operands: ['text'], more: 'f:reads file:reads c:text e:text h:host host:host o:writes output:writes' }),
  ),
  ...sameForNames('sqlite3 duckdb', {
    nature: 'edits',
    operands: ['changes', 'code'],
    fromInput: 'code',
    more: 'init:program cmd:code',
  } satisfies Program),
  openssl: {
    nature: 'edits',
    anyOption: true,
    operands: ['text'],
    more: 'in:reads inkey:reads key:reads out:writes keyout:writes connect:host config:program engine:program',
    needs: ({ operands: [verb] }) => (/^(?:s_client|s_server|ocsp)$/u.test(verb ?? '') ? ['?'] : []),
  },
  ...sameForNames('gpg gpg2', {
    nature: 'edits',
    operands: ['reads'],
    more: 'o:writes output:writes homedir:reads u:text r:text',
    needs: (given: ParsedArguments) =>
      hasOption(given, 'recv-keys', 'keyserver', 'send-keys', 'search-keys', 'refresh-keys') ? ['?'] : [],
    findEffects: (given: ParsedArguments) =>
      hasOption(given, 'export-secret-keys', 'export-secret-subkeys')
        ? [effect('secret', 'gives out private keys')]
        : [],
  } satisfies Program),
  ...sameForNames(
    'ngrok cloudflared localtunnel lt bore',
    remote({ operands: ['text'], effects: [effect('publishes', 'lets others on the internet reach this machine')] }),
  ),
  ...sameForNames('svn hg bzr fossil', remote({ operands: ['text'] })),
};
