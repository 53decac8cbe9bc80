import { anchorOf, type SecretRule, type Sign } from './rules.js';
import { type Span, spansOf } from './spans.js';

/**
 * Forms that say themselves that they are a secret, wherever they stand. The third-party detector knows these better
 * where it knows them; here are those it doesn't, and those whose form it takes so exactly that one that was cut off
 * would pass. Every quantifier is bounded, and what they repeat does not overlap.
 */
export const FORMS: readonly (readonly [begins: string, form: string])[] = [
  ['sk-', 'sk-[A-Za-z0-9_-]{16,256}'],
  ['sk_l sk_t rk_l rk_t pk_l pk_t', '(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,128}'],
  ['whse', 'whsec_[A-Za-z0-9+/=]{16,128}'],
  ['gho_ ghp_ ghu_ ghs_ ghr_', 'gh[opusr]_[A-Za-z0-9]{20,255}'],
  ['gith', 'github_pat_[A-Za-z0-9_]{20,255}'],
  [
    'glpa glrt gldt glft glso glag glcb glpt glim glff glrt',
    'gl(?:pat|rt|dt|ft|soat|agent|cbt|ptt|imt|ffct|rtr)-[A-Za-z0-9_.-]{15,300}',
  ],
  ['gr00', 'GR1348941[A-Za-z0-9_-]{18,30}'],
  ['xox', 'xox[abceoprs]-[A-Za-z0-9-]{8,255}'],
  ['xapp', 'xapp-[A-Za-z0-9-]{8,255}'],
  ['akia asia aroa aida abia acca', '(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)[A-Z0-9]{16}'],
  ['aiza', 'AIza[A-Za-z0-9_-]{30,50}'],
  ['gocs', 'GOCSPX-[A-Za-z0-9_-]{20,40}'],
  ['ya00', 'ya29\\.[A-Za-z0-9_-]{20,512}'],
  ['0//0', '1//0[A-Za-z0-9_-]{40,200}'],
  ['npm_', 'npm_[A-Za-z0-9]{30,64}'],
  ['pypi', 'pypi-[A-Za-z0-9_-]{30,255}'],
  ['ruby', 'rubygems_[a-f0-9]{32,64}'],
  ['hf_', 'hf_[A-Za-z0-9]{20,64}'],
  ['gsk_', 'gsk_[A-Za-z0-9]{30,64}'],
  ['xai-', 'xai-[A-Za-z0-9]{40,100}'],
  ['pplx', 'pplx-[A-Za-z0-9]{40,64}'],
  ['r8_', 'r8_[A-Za-z0-9]{30,50}'],
  ['nvap', 'nvapi-[A-Za-z0-9_-]{40,90}'],
  ['doo_ dop_ dor_', 'do[opr]_v1_[a-f0-9]{32,128}'],
  ['sg.', 'SG\\.[A-Za-z0-9_-]{16,64}\\.[A-Za-z0-9_-]{16,64}'],
  ['xkey', 'xkeysib-[a-f0-9]{32,80}-[A-Za-z0-9]{8,32}'],
  ['shp', 'shp(?:at|ss|ca|pa|tka)_[a-fA-F0-9]{24,64}'],
  ['dckr', 'dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,64}'],
  ['hvs. hvb. hvr.', 'hv[sbr]\\.[A-Za-z0-9_-]{20,400}'],
  ['age-', 'AGE-SECRET-KEY-1[A-Z0-9]{40,70}'],
  ['pmak', 'PMAK-[a-f0-9]{20,30}-[a-f0-9]{30,40}'],
  ['dp.', 'dp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9.-]{30,80}'],
  ['nrak', 'NRAK-[A-Z0-9]{20,40}'],
  ['sbp_', 'sbp_[a-f0-9]{32,64}'],
  ['sb_s', 'sb_secret_[A-Za-z0-9_-]{20,64}'],
  ['atat', 'ATATT3[A-Za-z0-9_=-]{30,300}'],
  ['atct', 'ATCTT3[A-Za-z0-9_=-]{30,300}'],
  ['pul-', 'pul-[a-f0-9]{40}'],
  ['ntn_', 'ntn_[A-Za-z0-9]{40,60}'],
  ['lin_', 'lin_(?:api|oauth)_[A-Za-z0-9]{30,80}'],
  ['figd', 'figd_[A-Za-z0-9_-]{30,80}'],
  ['dapi', 'dapi[a-f0-9]{32}'],
  ['tske', 'tskey-[a-z]{2,20}-[A-Za-z0-9_-]{16,100}'],
  ['glc_ glsa', 'gl(?:c|sa)_[A-Za-z0-9_+/=]{30,400}'],
  ['ops_', 'ops_eyJ[A-Za-z0-9+/=]{40,2000}'],
  ['eaac', 'EAAC[A-Za-z0-9]{30,300}'],
  ['sq0', 'sq0(?:csp|atp)-[A-Za-z0-9_-]{20,60}'],
  ['oy0', 'oy2[a-z0-9]{43}'],
  ['bkua', 'bkua_[a-f0-9]{40}'],
  ['fm0_ fm0a fm0r fo0_', '(?:fm[12][ar]?|fo1)_[A-Za-z0-9_+/=-]{16,4096}'],
  ['sk0 ska skb skc skd ske skf', 'SK[a-f0-9]{32}'],
  ['key-', 'key-[a-f0-9]{32}'],
];
const PREFIXED = new RegExp(`(?<![A-Za-z0-9])(?:${FORMS.map(([, form]) => form).join('|')})(?![A-Za-z0-9])`, 'gu');
/** A dot, and what may follow it in a word. */
const WORDS = 'abcdefghijklmnopqrstuvwxyz0-';
const BETWEEN_DOTS = WORDS.split('').flatMap((one) =>
  WORDS.split('').map((two) => ({ three: `.${one}${two}`, next: WORDS })),
);
/** Other patterns, each with its anchor. */
const OTHERS: readonly (readonly [begins: string | readonly Sign[], anchor: RegExp, pattern: RegExp])[] = [
  // Bots: <id>:<secret>, and three parts of base64.
  [[{ three: '00:', next: WORDS }], /(?<=\d{6})\d\d:[\w-]{35}/u, /(?<![\w:])()\d{8,10}:[A-Za-z0-9_-]{35}(?![\w-])/gu],
  [
    BETWEEN_DOTS,
    /\.[\w-]{6}\.[\w-]{27}/u,
    /(?<![\w.-])[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![\w-])/gu,
  ],
  // The text “-----BEGIN … PRIVATE KEY”, in base64.
  [
    'ls0t',
    /LS0tLS1CRUdJTi/u,
    /(?<![A-Za-z0-9+/])LS0tLS1CRUdJTi[A-Za-z0-9+/]{0,24}(?:UFJJVkFUR|BSSVZBVE|QUklWQVRF)(?:[A-Za-z0-9+/]|\n(?=[A-Za-z0-9+/]{40})){0,65536}={0,2}/gu,
  ],
  // Addresses that let whoever knows them write or read.
  ['hook', /hooks\.slack\.com\//iu, /(hooks\.slack\.com\/(?:services|workflows|triggers)\/)[A-Za-z0-9/_-]{8,256}/giu],
  ['disc', /discord(?:app)?\.com\/api\//iu, /(discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/)[\w/-]{8,256}/giu],
  [
    'webh outl',
    /(?:webhook|outlook)\.office\.com\/webhook/iu,
    /((?:webhook\.office\.com\/webhookb2|outlook\.office\.com\/webhook)\/)[\w@/-]{8,512}/giu,
  ],
  ['hook', /hooks\.zapier\.com\//iu, /(hooks\.zapier\.com\/hooks\/catch\/)[\w/]{6,128}/giu],
  ['api.', /api\.telegram\.org\/bot/iu, /(api\.telegram\.org\/bot)[\w:-]{20,64}/giu],
  ['/hoo', /\/hook[s]?\/[\w-]{16}/iu, /((?:ntfy|hooks)\.[\w.-]{1,60}\/hook[s]?\/)[\w-]{16,128}/giu],
  [
    'open qyap',
    /open\.feishu\.cn\/|qyapi\.weixin\./iu,
    /(open\.feishu\.cn\/open-apis\/bot\/v2\/hook\/|qyapi\.weixin\.qq\.com\/cgi-bin\/webhook\/send\?key=)[\w-]{16,64}/giu,
  ],
  // Who signs in, in an address.
  [
    '://',
    /:\/\/[^\s/@:"'<>`\\]{0,256}:[^\s/@"'<>`]{1,512}@/u,
    /(?<=\b[a-z][a-z0-9+.-]{0,30})(:\/\/)[^\s/@:"'<>`\\]{0,256}:(?![$<{*])[^\s/"'<>`]{1,512}(?=@)/giu,
  ],
  ['://', /:\/\/[A-Za-z0-9_-]{20,256}@/iu, /\b(https?:\/\/)[A-Za-z0-9_-]{20,256}(?=@)/giu],
  // In its query: names that mean nothing elsewhere.
  [
    '?sig ?x- ?key ?aut ?acc ?id_ ?cod ?hma ?jwt',
    /[?&;](?:sig|x-|key|au|ac|id_|code_|hm|jwt)[a-z_-]{0,20}=/iu,
    /([?&;](?:sig|signature|x-amz-signature|x-amz-security-token|x-amz-credential|x-goog-signature|x-oss-signature|key|auth|access_token|id_token|code_verifier|hmac|jwt)=)(?![$<{])[^\s&"'<>#`]{8,4096}/giu,
  ],
  // The value in a connection string goes to its semicolon.
  [
    'acco shar endp pass pwd',
    /(?:AccountKey|SharedAccessKey|SharedAccessSignature|EndpointKey|Password|Pwd)\s{0,4}=/u,
    /((?:AccountKey|SharedAccessKey|SharedAccessSignature|EndpointKey|Password|Pwd)\s{0,4}=\s{0,4})(?!\[redacted\])[^;\s"'`]{4,2048}(?=;|"|'|\s|$)/gu,
  ],
  // As databases, their settings and PowerShell have it.
  [
    [{ three: 'fie', next: 'd', behind: 6 }],
    /identified\s/iu,
    /(\bidentified\s{1,8}(?:with\s{1,8}\S{1,64}\s{1,8})?(?:by|as)\s{1,8}')[^'\n]{1,512}(?=')/giu,
  ],
  [
    [{ three: 'ord', next: ' ', behind: 5 }],
    /password(?:\s{1,8}|\()'/iu,
    /(\bpassword(?<=\b(?:(?:alter|create)\s{1,8}(?:user|role|login)|set)\b[^\n;]{0,100}\spassword)(?:\s{1,8}|\()')[^'\n]{1,512}(?=')/giu,
  ],
  [
    [
      { three: 'epa', next: 's', behind: 6 },
      { three: 'rau', next: 't', behind: 5 },
    ],
    /(?<![^\n])(?:requirepass|masterauth)\s/u,
    /(?<![^\n])((?:requirepass|masterauth)[^\S\n]{1,8})(?!["']{2}\s|<)\S{1,512}/gu,
  ],
  [
    [{ three: '-se', next: 'c', behind: 9 }],
    /ConvertTo-SecureString\s/iu,
    /(ConvertTo-SecureString\s{1,4}(?:-String\s{1,4})?["'])[^"'\r\n$]{1,512}(?=["'])/giu,
  ],
  // A scheme and what proves it, alone.
  [
    'bear basi toke apik nego splu sso- hmac',
    /(?:bearer|basic|token|apikey|negotiate|splunk|sso-key|hmac)\s{1,4}[A-Za-z0-9+/_.~=:-]{16}/iu,
    /\b((?:bearer|basic|token|apikey|negotiate|splunk|sso-key|hmac)\s{1,4})(?=[A-Za-z0-9+/_.~=:-]{0,256}\d)(?=[A-Za-z0-9+/_.~=:-]{0,256}[A-Za-z])[A-Za-z0-9+/_.~=:-]{16,8192}/giu,
  ],
  ['aws0', /AWS4-HMAC-SHA256\s/u, /\b(AWS4-HMAC-SHA256\s+)Credential=[^\r\n"'`]{8,2048}/gu],
];

/** Finds tokens that say by their first characters what they are. */
function prefixed(text: string): Span[] {
  const spans: Span[] = [];
  for (const run of text.matchAll(RUN)) {
    // With what stands before it: a word that only goes on is none of them.
    const from = Math.max(0, run.index - 1);
    for (const { start, end } of spansOf(text.slice(from, run.index + run[0].length + 1), PREFIXED))
      spans.push({ start: from + start, end: from + end });
  }
  return spans;
}

/** A run that may hold such a token; most words of most texts don't match it. */
const RUN = /[A-Za-z0-9_.+/=-]{13,}/gu;

/**
 * JSON web tokens, somewhere in words that are joined by dots. All of them at once, and from their beginning only: sought
 * from each place where one could begin, a text full of beginnings takes its square.
 */
function webTokens(text: string): Span[] {
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
      // A token's head, its claims and, where there is one, its signature.
      const length = parts.slice(at, at + 3).join('.').length;
      spans.push({ start: offset + begin, end: offset + length });
      offset += length + 1;
      at += 2;
    }
  }
  return spans;
}

export const TOKENS: readonly SecretRule[] = [
  ...OTHERS.map(([begins, anchor, pattern]) => ({
    anchors: [anchorOf(begins, anchor)],
    find: (text: string) => spansOf(text, pattern),
  })),
  {
    anchors: [anchorOf(FORMS.map(([begins]) => begins).join(' '), PREFIXED)],
    find: prefixed,
  },
  { anchors: [anchorOf('eyj', /eyJ[\w-]{8}/u)], find: webTokens },
];
