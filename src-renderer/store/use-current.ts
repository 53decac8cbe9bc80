import { useEffect } from 'react';
import type { ChannelName, RequestOf, ResponseOf } from '#contract/window/channels.js';
import { type RequestAnswer, useRequest } from '../bridge/use-request.js';
import { live } from './app.js';

/** Asks, and asks again whenever settings change: for what follows from them. */
export function useCurrent<Name extends ChannelName>(
  name: Name,
  request: RequestOf<Name>,
): RequestAnswer<ResponseOf<Name>> {
  const answer = useRequest(name, request);
  const { reload } = answer;
  useEffect(() => live.on('settings-changed', reload), [reload]);
  return answer;
}
