import { Mono } from '../../ui/code-block.js';

export function CallDetailView({ callId }: { readonly callId: string }) {
  return <Mono>{callId}</Mono>;
}
