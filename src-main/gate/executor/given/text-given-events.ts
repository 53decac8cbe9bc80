import type { Asker } from '../../../domain/call/asker.js';
import type { JournalEvent } from '../../../domain/call/journal-events.js';
import { type GivenText, findReceiver, type AttributedText, addGivenText } from '../../../domain/policy/given-texts.js';
import type { GivenTextLog } from '../../../domain/ports/given-text-log.js';
import { isUnavailable, type Recorder } from '../recorder.js';

/** Builds the events which record that somebody is given a text; none where that changes nothing. */
export function buildTextGivenEvents(
  asker: Asker,
  text: AttributedText,
  {
    workspace,
    byCall,
    texts,
  }: { readonly workspace: string; readonly byCall: string | null; readonly texts: GivenTextLog },
): readonly JournalEvent[] {
  const to = findReceiver(asker);
  if (to === null) return [];
  const given: GivenText = { ...text, session: asker.session };
  const known = texts.listGivenTo(asker, workspace);
  return addGivenText(known, given) === known ? [] : [{ type: 'text-given', to, workspace, byCall, text: given }];
}

/**
 * Records that the text of a past call is given again: whoever asks for it by id, key or status reads it from the
 * record, after the call’s own timeline ended.
 */
export async function recordTextGivenAgain(
  asker: Asker,
  folder: string,
  callId: string,
  { texts, recorder }: { readonly texts: GivenTextLog; readonly recorder: Recorder },
): Promise<boolean> {
  const said = texts.findSaidText(callId);
  if (said === null) return true;
  const facts = [...new Set([folder, said.workspace])].flatMap((workspace) => {
    const ofFolder = said.text.ofFolder && workspace === said.workspace;
    return buildTextGivenEvents(asker, { ...said.text, ofFolder }, { workspace, byCall: null, texts });
  });
  return facts.length === 0 || !isUnavailable(await recorder.appendTogether(facts));
}
