import { useEffect } from 'react';
import type { ChannelName, RequestOf, ResponseOf } from '#contract/window/channels.js';
import type { RequestAnswer } from '../../../bridge/use-request.js';
import { live, onCalls } from '../../../store/app.js';
import { useCurrent } from '../../../store/use-current.js';

/** Calls of a source are counted; so often at most that is read again. */
const CALLS_MS = 1000;

/** Asks again whenever a source changes, or the domain does, too. */
export function useSourcesRequest<Name extends ChannelName>(
  name: Name,
  request: RequestOf<Name>,
): RequestAnswer<ResponseOf<Name>> {
  const answer = useCurrent(name, request);
  const { reload } = answer;
  useEffect(() => live.on('sources-changed', reload), [reload]);
  useEffect(() => live.on('domain-changed', reload), [reload]);
  return answer;
}

/** Reads the sources, with their calls today. */
export function useSources(): RequestAnswer<ResponseOf<'sources.list'>> {
  const answer = useSourcesRequest('sources.list', {});
  const { reload } = answer;
  useEffect(() => onCalls(CALLS_MS, reload), [reload]);
  return answer;
}
