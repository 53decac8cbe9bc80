import { isNothingAllowed, parseNetworkCapabilities } from '#contract/vocabulary/network.js';
import type { ExportedCall } from './exported-call.js';

/** Writes a call for people. Fences are longer than any inside, so that a result can't end its own block. */
export function toMarkdown(call: ExportedCall): string {
  const facts = [
    `- **State:** ${call.state}${call.code === null ? '' : ` (${call.code})`}`,
    `- **When:** ${new Date(call.startedAt).toISOString()}${call.durationMs === null ? '' : `, ${Math.round(call.durationMs)} ms`}`,
    `- **From:** ${call.door}${call.client === null ? '' : ` (${inline(call.client)})`}`,
    `- **Call:** ${inline(call.callId)}`,
    ...(call.reason === null ? [] : [`- **Reason:** ${inline(call.reason)}`]),
    ...(call.capabilities.includes('network.settings') ? ['- **Network:** allowed by the settings'] : []),
    ...describeNetwork(call),
    ...(call.confinement === null ? [] : [`- **Confinement:** ${call.confinement}`]),
    ...(call.redacted === 0 ? [] : [`- **Taken out (secrets, personal data):** ${call.redacted}`]),
  ];
  const files = call.changedFiles.map((file) => `- ${file.change}: ${inline(file.path)}`);
  return [
    `## ${inline(call.tool)}: ${inline(call.summary)}`,
    facts.join('\n'),
    '### Arguments',
    fenced(JSON.stringify(call.arguments, null, 2), 'json'),
    ...(call.result === null ? [] : ['### Result', fenced(call.result, '')]),
    ...(files.length === 0 ? [] : ['### Changed files', files.join('\n')]),
    '### Events',
    call.events
      .map(
        ({ seq, at, state, note }) =>
          `${seq}. ${new Date(at).toISOString()} ${state}${note === null ? '' : `: ${inline(note)}`}`,
      )
      .join('\n'),
    '',
  ].join('\n\n');
}

function describeNetwork({ capabilities }: ExportedCall): readonly string[] {
  const allowed = parseNetworkCapabilities(capabilities);
  if (isNothingAllowed(allowed)) return [];
  const hosts = allowed === 'any' ? '' : `, to ${inline(allowed.join(', '))} alone`;
  return [`- **Network:** allowed by the user for this call${hosts}`];
}

export function inline(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').replaceAll(/[\\`*_[\]<>#|]/gu, (mark) => `\\${mark}`);
}

export function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
}
