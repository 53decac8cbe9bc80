import { isHarmless } from './harmless.js';
import { anchorOf, type SecretRule, signOf } from './rules.js';
import { eachMatch, type Span, spansOf } from './spans.js';
import { skipContinuation } from './read-word.js';

/** Options of known programs that carry a password without saying so by their name. */
interface SecretOptions {
  /** Takes what is joined to it, or stands apart where `apart` says so. */
  readonly joined?: RegExp;
  readonly apart?: RegExp;
  /** The option with `user:password`: only what stands behind the colon is secret. */
  readonly pair?: RegExp;
  /** The same in one word, with the colon at its end. */
  readonly pairJoined?: RegExp;
  /** The option with `name=value`: what stands behind the sign is secret; a word without it is the name of a file. */
  readonly cookie?: RegExp;
  /** Only of commands that hold this word. */
  readonly needs?: RegExp;
  /** The option that makes the last of its words a secret. */
  readonly last?: RegExp;
}

const PROGRAMS: ReadonlyMap<string, SecretOptions> = new Map(
  (
    [
      // Letters that take nothing may stand before in one word: `-su`.
      [
        'curl',
        {
          pair: /^(?:-[#0-6afgijklnpqsvGIJLNORSZ]{0,12}[uU]|--user|--proxy-user)$/u,
          pairJoined: /^(?:-[#0-6afgijklnpqsvGIJLNORSZ]{0,12}[uU]|--user=|--proxy-user=)([^:]{1,128}:)(?=.)/u,
          cookie: /^(?:-[#0-6afgijklnpqsvGIJLNORSZ]{0,12}b|--cookie)$/u,
        },
      ],
      ['wget http https xh aria2c', { pair: /^(?:-u|-U|--user|--proxy-user|-a|--auth|--http-user)$/u }],
      ['mysql mysqldump mysqladmin mysqlimport mysqlshow mariadb mariadb-dump mysqlsh', { joined: /^(-p)(?=.)/u }],
      ['sshpass', { joined: /^(-p)(?=.)/u, apart: /^-p$/u }],
      [
        'docker podman nerdctl buildah skopeo helm oras crane az oc',
        { apart: /^-p$/u, joined: /^(-p)(?=[^a-z=-])/u, needs: /\blogin\b/u },
      ],
      ['mongo mongosh mongodump mongorestore', { apart: /^-p$/u }],
      ['redis-cli valkey-cli', { apart: /^-a$/u }],
      ['ldapsearch ldapadd ldapmodify ldapwhoami ldappasswd', { apart: /^-w$/u }],
      ['7z 7za 7zr rar unrar', { joined: /^(-p)(?=.)/u }],
      ['zip unzip', { apart: /^-P$/u }],
      ['smbclient rpcclient mount.cifs', { pair: /^-U$/u }],
      ['openssl', { apart: /^-(?:passin|passout|pass|k|K)$/u }],
      ['xfreerdp xfreerdp3 rdesktop', { joined: /^(\/p:)(?=.)/u, apart: /^-p$/u }],
      ['sqlcmd bcp', { apart: /^-P$/u, joined: /^(-P)(?=.)/u }],
      ['vault', { apart: /^login$/u }],
      ['ipmitool', { apart: /^-P$/u }],
      ['snmpget snmpwalk', { apart: /^-(?:c|A|X)$/u }],
      ['restic borg', { apart: /^--password-command$/u }],
      ['htpasswd', { last: /^-[a-zA-Z0-9]*b/u }],
      ['twine', { apart: /^-p$/u }],
      ['doctl vercel', { apart: /^-t$/u }],
      ['netlify', { apart: /^-a$/u }],
      ['gh', { apart: /^(?:-b|--body)$/u, needs: /\bsecret\s+set\b/u }],
      ['kubectl', { joined: /^(--from-literal=[^=]{1,128}=)(?=.)/u, needs: /\bsecret\b/u }],
      ['ngrok', { apart: /^(?:authtoken|add-authtoken)$/u }],
      ['snyk', { apart: /^auth$/u }],
      ['cargo', { apart: /^login$/u }],
      ['nuget', { apart: /^(?:setapikey|-k)$/iu }],
      ['dotnet', { apart: /^-k$/u, needs: /\bnuget\b/u }],
      ['useradd usermod', { apart: /^-p$/u }],
      ['keytool jarsigner', { apart: /^-(?:storepass|keypass|srcstorepass|deststorepass|new)$/u }],
    ] as const
  ).flatMap(([names, taken]) => names.split(' ').map((name) => [name, taken as SecretOptions] as const)),
);

const PROGRAM = new RegExp(
  `(?<![\\w.-])(?:${[...PROGRAMS.keys()]
    .sort((a, b) => b.length - a.length)
    .map((name) => name.replaceAll('.', '\\.'))
    .join('|')})(?=[\\s"',])`,
  'uy',
);
const MAX_COMMAND_LENGTH = 4000;
function options(text: string, places: readonly number[]): Span[] {
  const spans: Span[] = [];
  let reach = 0;
  for (const place of places) {
    if (place < reach) continue;
    PROGRAM.lastIndex = place;
    const program = PROGRAM.exec(text)?.[0] ?? '';
    const known = PROGRAMS.get(program);
    if (known === undefined) continue;
    const start = place + program.length;
    reach = commandEnd(text, start);
    if (known.needs?.test(text.slice(start, reach)) === false) continue;
    spans.push(...optionsIn(text, start, reach, known));
  }
  return spans;
}

/** Quotes and lines that go on don’t end it. */
function commandEnd(text: string, from: number): number {
  const limit = Math.min(text.length, from + MAX_COMMAND_LENGTH);
  for (let at = from; at < limit; at += 1) {
    const char = text.charAt(at);
    if ('\r\n|;'.includes(char) || (char === '&' && text.charAt(at + 1) === '&')) return at;
    const continued = char === '\\' ? skipContinuation(text, at) : at;
    const closing = char === '"' || char === "'" ? text.indexOf(char, at + 1) : -1;
    const isClosed = closing !== -1 && closing < limit && !text.slice(at, closing).includes('\n');
    if (continued > at) at = continued - 1;
    else if (isClosed) at = closing;
  }
  return limit;
}

function optionsIn(text: string, from: number, to: number, taken: SecretOptions): Span[] {
  const spans: Span[] = [];
  let isLast = false;
  const others: Span[] = [];
  let pending: 'apart' | 'pair' | 'cookie' | null = null;
  for (const word of words(text, from, to)) {
    const value = text.slice(word.start, word.end);
    if (pending !== null) {
      const colon = behindName(value, pending);
      const isSecret = pending === 'apart' ? !value.startsWith('-') : colon > 0;
      if (isSecret && !isHarmless(value.slice(colon), { strength: 'strong', quoted: true }))
        spans.push({ start: word.start + colon, end: word.end });
      pending = null;
      continue;
    }
    if (taken.last?.test(value) === true) isLast = true;
    else if (!value.startsWith('-')) others.push(word);
    const joined = taken.joined?.exec(value)?.[1]?.length;
    if (joined !== undefined && !isHarmless(value.slice(joined), { strength: 'strong', quoted: true }))
      spans.push({ start: word.start + joined, end: word.end });
    else if (taken.apart?.test(value) === true) pending = 'apart';
    else if (taken.pair?.test(value) === true) pending = 'pair';
    else if (taken.cookie?.test(value) === true) pending = 'cookie';
    // `-ua:b`, `--user=a:b`
    else if (taken.pair !== undefined) {
      const pair = (taken.pairJoined ?? PAIR_JOINED).exec(value);
      if (pair !== null) spans.push({ start: word.start + pair[0].length, end: word.end });
    }
  }
  const last = others.at(-1);
  if (isLast && last !== undefined && others.length > 1) spans.push(last);
  return spans;
}

const PAIR_JOINED = /^(?:-u|--user=|--proxy-user=)([^:]{1,128}:)(?=.)/u;

function behindName(value: string, pending: 'apart' | 'pair' | 'cookie'): number {
  if (pending === 'cookie') return value.indexOf('=') + 1;
  return pending === 'pair' ? Math.max(value.indexOf(':'), value.indexOf('%')) + 1 : 0;
}

/** Yields each word without its quotes. A quote inside of a word (`-p'x y'`) belongs to the option it begins with. */
function* words(text: string, from: number, to: number): Generator<Span> {
  for (let at = from; at < to;) {
    const next = skipContinuation(text, at);
    if (next > at || /[\s,]/u.test(text.charAt(at))) {
      at = Math.max(next, at + 1);
      continue;
    }
    let start = at;
    let end = at;
    let quote = '';
    for (; end < to; end += 1) {
      const char = text.charAt(end);
      if (char === '\\' && /^\r?\n/u.test(text.slice(end + 1, end + 3))) {
        end += text.charAt(end + 1) === '\r' ? 2 : 1;
        continue;
      }
      if (quote === '' && /[\s,]/u.test(char)) break;
      if (char !== '"' && char !== "'") continue;
      if (quote === '') quote = char;
      else if (quote === char) quote = '';
    }
    at = end + 1;
    while (start < end && /[\\"'[\]]/u.test(text.charAt(start))) start += 1;
    while (end > start && /[\\"'[\]]/u.test(text.charAt(end - 1))) end -= 1;
    yield { start, end };
  }
}

/** Files that have their own order of words: netrc, and those of passwords with colons. */
function logins(text: string): Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(/\b(?:machine|default|login|account)\s+\S{1,256}/gu)) {
    const from = match.index + match[0].length;
    const found = /^(?:\s+(?:login|account|user)\s+\S{1,256})*\s+password\s+("[^"\n]{1,512}"|\S{1,512})/u.exec(
      text.slice(from, from + 1200),
    );
    const value = found?.[1];
    if (found === null || value === undefined || isHarmless(value, { strength: 'strong', quoted: true })) continue;
    const end = from + found[0].length;
    spans.push({ start: end - value.length, end });
  }
  return spans;
}

/** Text piped to a program that reads a password: `echo S | docker login --password-stdin`. */
const PIPED =
  /\b(?:echo|printf)[^\S\n]{1,8}(?:-\w{1,4}[^\S\n]{1,8}){0,2}(?:["']?%s(?:\\n)?["']?[^\S\n]{1,8})?([^\n|;&]{1,1000}?)[^\S\n]{0,8}\|[^\n;]{0,200}(?:--password-stdin|--with-token|\bsudo[^\S\n]{1,4}-\w{0,4}S|\bchpasswd|\bpasswd[^\S\n]{1,4}--stdin)/u;
const EACH_PIPED = new RegExp(PIPED.source, 'gu');

function piped(text: string): Span[] {
  const spans: Span[] = [];
  eachMatch(text, EACH_PIPED, (match) => {
    const said = match[1] ?? '';
    const value = said.replace(/^(["'])(.*)\1$/u, '$2');
    if (isHarmless(value, { strength: 'strong', quoted: true })) return;
    const start = match.index + match[0].indexOf(said) + said.indexOf(value);
    spans.push({ start, end: start + value.length });
  });
  return spans;
}

/** .pgpass: host:port:database:user:password */
function pgpass(text: string): Span[] {
  const lines = text.matchAll(/^([\w.*-]{1,128}:(?:\d{1,5}|\*):[\w*-]{1,64}:[\w*-]{1,64}:)(\S{1,256})$/gmu);
  return [...lines].map(({ index, 1: head = '', 2: value = '' }) => ({
    start: index + head.length,
    end: index + head.length + value.length,
  }));
}

/** /etc/shadow and htpasswd: crypt's own form */
const CRYPT = /\$(?:1|2[abxy]?|5|6|7|y|gy|argon2(?:id|i|d)|apr1|scrypt|pbkdf2[\w-]{0,12})\$[\w./$=,+-]{20,256}/gu;

/** Signs by the end of a program's name, and what stands behind it: `http` alone is how addresses begin. */
const ENDS = [...PROGRAMS.keys()].map((name) => {
  const behind = Math.max(0, name.length - 3);
  return { ...signOf(`${name} `.slice(behind)), behind };
});

export const COMMANDS: readonly SecretRule[] = [
  { anchors: [anchorOf(ENDS, PROGRAM)], findAt: options },
  {
    anchors: [
      anchorOf(
        [
          { three: 'cho', next: ' ', behind: 1 },
          { three: 'ntf', next: ' ', behind: 3 },
        ],
        PIPED,
      ),
    ],
    find: piped,
  },
  { anchors: [anchorOf('password', /password\s/u)], find: logins },
  { anchors: [anchorOf(':0: :00 :*:', /:(?:\d{1,5}|\*):[\w*-]{1,64}:[\w*-]{1,64}:\S/u)], find: pgpass },
  {
    anchors: [anchorOf('$0$ $0a $0b $0x $0y $y$ $gy$ $arg $apr $scr $pbk', CRYPT)],
    find: (text) => spansOf(text, CRYPT),
  },
];
