import { type Anchor, anchorOf, literally } from '../../domain/text/secrets/rules.js';

/**
 * Anchors by the last part of a rule's id: texts without which a rule of the kept detector can't find anything. Most of
 * the rules' patterns look behind at every character. A rule that is not here is always run, so that a newer preset
 * finds no less.
 */
const ANCHORS: ReadonlyMap<string, readonly Anchor[]> = new Map(
  Object.entries({
    aws: [
      anchorOf(
        'a0t akia agpa aida aroa aipa anpa anva asia',
        /(?:A3T[A-Z0-9]|AKIA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|ASIA)[A-Z0-9]{16}/u,
      ),
      anchorOf([{ three: 'ess', next: 'k_', behind: 3 }], /(?:ACCESS|access|Access)_?(?:KEY|key|Key)/u),
      ...literally('ACCOUNT', 'account', 'Account'),
    ],
    gcp: literally('private_key_id'),
    npm: literally('x-oauth-basic', '_authToken=', 'npm_'),
    slack: [...literally('xox', 'xapp'), anchorOf('hook', /hooks\.slack\.com\/services\//iu)],
    basicauth: [anchorOf('://', /:\/\/[-\w]{1,256}:[-\w]{1,256}@/u)],
    openai: literally('sk-'),
    anthropic: literally('sk-ant-'),
    groq: literally('gsk_'),
    huggingface: literally('hf_'),
    linear: literally('lin_api_'),
    notion: literally('ntn_'),
    privatekey: literally('PRIVATE KEY'),
    sendgrid: literally('SG.'),
    shopify: literally('shp'),
    stripe: literally('sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'),
    github: literally('ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'),
    gitlab: literally('glpat-'),
    grafana: literally('glc_', 'glsa_'),
    '1password': literally('ops_'),
    'database-connection-string': [anchorOf('mong mysq post', /(?:mongodb(?:\+srv)?|mysqlx?|postgres(?:ql)?):\/\//iu)],
    'hashicorp-vault': literally('hvs.', 'hvb.', 'hvr.'),
    vercel: literally('vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'),
    databricks: literally('dapi'),
    docker: literally('dckr_pat_'),
    figma: literally('figd_'),
    cloudflare: literally('cfk_', 'cfut_', 'cfat_'),
    tailscale: literally('tskey-'),
  }),
);

export const findAnchors = (id: string): readonly Anchor[] | null =>
  ANCHORS.get(id.replace('@secretlint/secretlint-rule-', '')) ?? null;
