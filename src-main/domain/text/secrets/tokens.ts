import { type Span, spansOf } from './spans.js';

/**
 * What says itself that it is a secret, wherever it stands. The kept detector knows these better where it knows them;
 * here are those it doesn't, and those whose form it takes so exactly that one that was cut off would pass.
 * Every quantifier is bounded, and what they repeat does not overlap.
 */
const PREFIXED = new RegExp(
  `(?<![A-Za-z0-9])(?:${[
    'sk-[A-Za-z0-9_-]{16,256}',
    '(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,128}',
    'whsec_[A-Za-z0-9+/=]{16,128}',
    'gh[opusr]_[A-Za-z0-9]{20,255}',
    'github_pat_[A-Za-z0-9_]{20,255}',
    'gl(?:pat|rt|dt|ft|soat|agent|cbt|ptt|imt|ffct|rtr)-[A-Za-z0-9_.-]{15,300}',
    'GR1348941[A-Za-z0-9_-]{18,30}',
    'xox[abceoprs]-[A-Za-z0-9-]{8,255}',
    'xapp-[A-Za-z0-9-]{8,255}',
    '(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)[A-Z0-9]{16}',
    'AIza[A-Za-z0-9_-]{30,50}',
    'GOCSPX-[A-Za-z0-9_-]{20,40}',
    'ya29\\.[A-Za-z0-9_-]{20,512}',
    '1//0[A-Za-z0-9_-]{40,200}',
    'npm_[A-Za-z0-9]{30,64}',
    'pypi-[A-Za-z0-9_-]{30,255}',
    'rubygems_[a-f0-9]{32,64}',
    'hf_[A-Za-z0-9]{20,64}',
    'gsk_[A-Za-z0-9]{30,64}',
    'xai-[A-Za-z0-9]{40,100}',
    'pplx-[A-Za-z0-9]{40,64}',
    'r8_[A-Za-z0-9]{30,50}',
    'nvapi-[A-Za-z0-9_-]{40,90}',
    'do[opr]_v1_[a-f0-9]{32,128}',
    'SG\\.[A-Za-z0-9_-]{16,64}\\.[A-Za-z0-9_-]{16,64}',
    'xkeysib-[a-f0-9]{32,80}-[A-Za-z0-9]{8,32}',
    'shp(?:at|ss|ca|pa|tka)_[a-fA-F0-9]{24,64}',
    'dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,64}',
    'hv[sbr]\\.[A-Za-z0-9_-]{20,400}',
    'AGE-SECRET-KEY-1[A-Z0-9]{40,70}',
    'PMAK-[a-f0-9]{20,30}-[a-f0-9]{30,40}',
    'dp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9.-]{30,80}',
    'NRAK-[A-Z0-9]{20,40}',
    'sbp_[a-f0-9]{32,64}',
    'sb_secret_[A-Za-z0-9_-]{20,64}',
    'ATATT3[A-Za-z0-9_=-]{30,300}',
    'ATCTT3[A-Za-z0-9_=-]{30,300}',
    'pul-[a-f0-9]{40}',
    'ntn_[A-Za-z0-9]{40,60}',
    'lin_(?:api|oauth)_[A-Za-z0-9]{30,80}',
    'figd_[A-Za-z0-9_-]{30,80}',
    'dapi[a-f0-9]{32}',
    'tskey-[a-z]{2,20}-[A-Za-z0-9_-]{16,100}',
    'gl(?:c|sa)_[A-Za-z0-9_+/=]{30,400}',
    'ops_eyJ[A-Za-z0-9+/=]{40,2000}',
    'EAAC[A-Za-z0-9]{30,300}',
    'sq0(?:csp|atp)-[A-Za-z0-9_-]{20,60}',
    'oy2[a-z0-9]{43}',
    'bkua_[a-f0-9]{40}',
    'SK[a-f0-9]{32}',
    'key-[a-f0-9]{32}',
  ].join('|')})(?![A-Za-z0-9])`,
  'gu',
);
/** Each with a part that a text must have for it to be tried: looking for that takes next to nothing. */
const OTHERS: readonly (readonly [part: string, pattern: RegExp])[] = [
  // Bots: <id>:<secret>, and three parts of base64.
  [':', /(?<![\w:])()\d{8,10}:[A-Za-z0-9_-]{35}(?![\w-])/gu],
  ['.', /(?<![\w.-])[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![\w-])/gu],
  // The text “-----BEGIN … PRIVATE KEY”, in base64.
  [
    'LS0tLS1CRUdJTi',
    /(?<![A-Za-z0-9+/])LS0tLS1CRUdJTi[A-Za-z0-9+/]{0,24}(?:UFJJVkFUR|BSSVZBVE|QUklWQVRF)(?:[A-Za-z0-9+/]|\n(?=[A-Za-z0-9+/]{40})){0,65536}={0,2}/gu,
  ],
  // Addresses that let whoever knows them write or read.
  ['hooks.slack.com', /(hooks\.slack\.com\/(?:services|workflows|triggers)\/)[A-Za-z0-9/_-]{8,256}/giu],
  ['/webhooks/', /(discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/)[\w/-]{8,256}/giu],
  ['webhook', /((?:webhook\.office\.com\/webhookb2|outlook\.office\.com\/webhook)\/)[\w@/-]{8,512}/giu],
  ['hooks.zapier.com', /(hooks\.zapier\.com\/hooks\/catch\/)[\w/]{6,128}/giu],
  ['api.telegram.org', /(api\.telegram\.org\/bot)[\w:-]{20,64}/giu],
  ['/hook', /((?:ntfy|hooks)\.[\w.-]{1,60}\/hook[s]?\/)[\w-]{16,128}/giu],
  [
    '/',
    /(open\.feishu\.cn\/open-apis\/bot\/v2\/hook\/|qyapi\.weixin\.qq\.com\/cgi-bin\/webhook\/send\?key=)[\w-]{16,64}/giu,
  ],
  // Who signs in, in an address.
  ['@', /\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/@:"'<>`\\]{0,256}:(?![$<{*])[^\s/@"'<>`]{1,512}(?=@)/giu],
  ['@', /\b(https?:\/\/)[A-Za-z0-9_-]{20,256}(?=@)/giu],
  // In its query: names that mean nothing elsewhere.
  [
    '=',
    /([?&;](?:sig|signature|x-amz-signature|x-amz-security-token|x-amz-credential|x-goog-signature|x-oss-signature|key|auth|access_token|id_token|code_verifier|hmac|jwt)=)(?![$<{])[^\s&"'<>#`]{8,4096}/giu,
  ],
  // Of a connection string: to its semicolon.
  [
    '=',
    /((?:AccountKey|SharedAccessKey|SharedAccessSignature|EndpointKey|Password|Pwd)\s{0,4}=\s{0,4})(?!\[redacted\])[^;\s"'`]{4,2048}(?=;|"|'|\s|$)/gu,
  ],
  // A scheme and what proves it, alone.
  [
    ' ',
    /\b((?:bearer|basic|token|apikey|negotiate|splunk|sso-key|hmac)\s{1,4})(?=[A-Za-z0-9+/_.~=:-]{0,256}\d)(?=[A-Za-z0-9+/_.~=:-]{0,256}[A-Za-z])[A-Za-z0-9+/_.~=:-]{16,8192}/giu,
  ],
  ['AWS4-HMAC', /\b(AWS4-HMAC-SHA256\s+)Credential=[^\r\n"'`]{8,2048}/gu],
];

export function tokenSecrets(text: string): Span[] {
  const spans = OTHERS.flatMap(([part, pattern]) => (text.includes(part) ? spansOf(text, pattern) : []));
  for (const run of text.matchAll(RUN)) {
    // With what stands before it: a word that only goes on is none of them.
    const from = Math.max(0, run.index - 1);
    for (const { start, end } of spansOf(text.slice(from, run.index + run[0].length + 1), PREFIXED))
      spans.push({ start: from + start, end: from + end });
  }
  return [...spans, ...webTokens(text)];
}

/** All that say what they are stand in one of these; most words of most texts don't. */
const RUN = /[A-Za-z0-9_.+/=-]{13,}/gu;

/**
 * JSON web tokens, somewhere in words that are joined by dots. All of them at once, and from their beginning only: sought
 * from each place where one could begin, a text full of beginnings takes its square.
 */
function webTokens(text: string): Span[] {
  if (!text.includes('eyJ')) return [];
  const spans: Span[] = [];
  for (const match of text.matchAll(/(?<![\w-])[\w-]+(?:\.[\w-]*)+/gu)) {
    const parts = match[0].split('.');
    let offset = match.index;
    for (let at = 0; at < parts.length; at += 1) {
      const part = parts[at] ?? '';
      const begin = part.search(/\beyJ/u);
      if (begin === -1 || part.length - begin < 11 || (parts[at + 1]?.length ?? 0) < 4) {
        offset += part.length + 1;
        continue;
      }
      // Its head, its claims and, where there is one, its signature.
      const length = parts.slice(at, at + 3).join('.').length;
      spans.push({ start: offset + begin, end: offset + length });
      offset += length + 1;
      at += 2;
    }
  }
  return spans;
}
