/**
 * What a text can't be without for a rule of the kept detector to find anything in it: one of these, exactly so. Looking for
 * a few characters takes next to nothing; most of the rules' patterns look behind at every character. By the last part of the
 * rule's id. A rule that is not here is always run, so that a newer preset finds no less.
 */
const PARTS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    aws: 'A3T AKIA AGPA AIDA AROA AIPA ANPA ANVA ASIA KEY Key key ACCOUNT Account account'.split(' '),
    // An object of JSON.
    gcp: ['{'],
    npm: ['x-oauth-basic', '_authToken=', 'npm_'],
    slack: ['xox', 'xapp-', '://'],
    basicauth: ['://'],
    openai: ['sk-'],
    anthropic: ['sk-ant-'],
    groq: ['gsk_'],
    huggingface: ['hf_'],
    linear: ['lin_api_'],
    notion: ['ntn_'],
    privatekey: ['PRIVATE KEY'],
    sendgrid: ['SG.'],
    shopify: ['shp'],
    stripe: ['k_live_', 'k_test_'],
    github: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    gitlab: ['glpat-'],
    grafana: ['glc_', 'glsa_'],
    '1password': ['ops_'],
    'database-connection-string': ['://'],
    'hashicorp-vault': ['hvs.', 'hvb.', 'hvr.'],
    vercel: ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'],
    databricks: ['dapi'],
    docker: ['dckr_pat_'],
    figma: ['figd_'],
    cloudflare: ['cfk_', 'cfut_', 'cfat_'],
    tailscale: ['tskey-'],
  }),
);

/** One that most parts have. Where a text has none of it, none of those parts need be looked for. */
const SIGN = /[_\-.:{ ]/u;

interface Part {
  readonly text: string;
  readonly sign: string;
}

/** Whether a rule of that id could find anything; the signs of a text are looked for once, for all of its rules. */
export function couldFind(id: string): (text: string, signs: ReadonlySet<string>) => boolean {
  const texts = PARTS.get(id.replace('@secretlint/secretlint-rule-', ''));
  if (texts === undefined) return () => true;
  const parts = texts.map((text): Part => ({ text, sign: SIGN.exec(text)?.[0] ?? '' }));
  return (text, signs) => parts.some((part) => signs.has(part.sign) && text.includes(part.text));
}

export const signsOf = (text: string): ReadonlySet<string> =>
  new Set(['', ...['_', '-', '.', ':', '{', ' '].filter((sign) => text.includes(sign))]);
