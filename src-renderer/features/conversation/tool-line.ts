/** `/tool <callId> <result>`: a result that the person gives, in parse-only mode. */
export type MessageLine =
  | { readonly kind: 'result'; readonly callId: string; readonly result: string }
  | { readonly kind: 'wrong'; readonly message: string }
  | { readonly kind: 'words' };

const COMMAND = /^\/tool(?:[ \t]+(\S+))?(?:[ \t]|\r?\n)?([\s\S]*)$/;

export function readMessage(text: string): MessageLine {
  const line = text.trimStart();
  if (!/^\/tool(?:\s|$)/.test(line)) return { kind: 'words' };
  const [, callId, result = ''] = COMMAND.exec(line) ?? [];
  if (callId === undefined) {
    return { kind: 'wrong', message: 'Write /tool, the call’s id, and its result: /tool call-1 the result' };
  }
  return { kind: 'result', callId, result };
}
