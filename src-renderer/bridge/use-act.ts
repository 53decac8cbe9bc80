import { useState } from 'react';
import type { ChannelName, RequestOf, ResponseOf } from '#contract/window/channels.js';
import type { BridgeResult } from '#contract/window/result.js';
import { ask } from './use-request.js';

export interface ActHandle {
  readonly act: <Name extends ChannelName>(
    name: Name,
    request: RequestOf<Name>,
  ) => Promise<BridgeResult<ResponseOf<Name>>>;
  /** Whether the request is on its way. */
  readonly acting: boolean;
  /** Why it did not work, the last time. */
  readonly problem: string | null;
  readonly setProblem: (problem: string | null) => void;
}

/** Something that a person does by a press, and what becomes of it. */
export function useAct(): ActHandle {
  const [acting, setActing] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const act: ActHandle['act'] = async (name, request) => {
    setActing(true);
    setProblem(null);
    const answer = await ask(name, request);
    setActing(false);
    if (!answer.ok) setProblem(answer.error.message);
    return answer;
  };
  return { act, acting, problem, setProblem };
}
