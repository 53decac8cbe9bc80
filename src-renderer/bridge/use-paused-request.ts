import { useEffect, useState } from 'react';
import type { ChannelName, RequestOf, ResponseOf } from '#contract/window/channels.js';
import { type RequestAnswer, useRequest } from './use-request.js';

const PAUSE_MS = 250;

/**
 * Asks about what is being typed, once typing pauses. While it goes on, the answer is to an older text: `loading`.
 * Where there is nothing to ask about there is no answer either.
 */
export function usePausedRequest<Name extends ChannelName>(
  name: Name,
  request: RequestOf<Name> | null,
): RequestAnswer<ResponseOf<Name>> {
  const wish = JSON.stringify(request);
  const [paused, setPaused] = useState(wish);
  useEffect(() => {
    if (paused === wish) return undefined;
    const timer = setTimeout(() => setPaused(wish), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [paused, wish]);
  const answer = useRequest(name, JSON.parse(paused) as RequestOf<Name> | null);
  return {
    ...answer,
    value: request === null ? null : answer.value,
    loading: answer.loading || paused !== wish,
  };
}
