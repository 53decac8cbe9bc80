import type { AppEventBody } from '#contract/window/app-events.js';
import { createListenerSet, type ListenerSet } from './listeners.js';

type LiveType =
  | 'output'
  | 'waiting-for-input'
  | 'settings-changed'
  | 'sources-changed'
  | 'domain-changed'
  | 'taken-back'
  | 'conversation'
  | 'conversation-gone'
  | 'message'
  | 'message-piece'
  | 'given-back';
type LiveEvent<Type extends LiveType> = Extract<AppEventBody, { readonly type: Type }>;
type Listener<Type extends LiveType> = (event: LiveEvent<Type>) => void;

export interface LiveEvents {
  readonly emit: (event: AppEventBody) => void;
  readonly on: <Type extends LiveType>(type: Type, listener: Listener<Type>) => () => void;
  /** Only what one call writes: a thousand calls don't wake each other's terminals. */
  readonly onOutput: (callId: string, listener: Listener<'output'>) => () => void;
  /** Events were missed: what was streamed must be read again from what is stored. */
  readonly onGap: (listener: () => void) => () => void;
  readonly emitGap: () => void;
}

/** Creates the hub for events that stream past and are not state. */
export function createLiveEvents(): LiveEvents {
  const byType = new Map<string, ListenerSet<[AppEventBody]>>();
  const gaps = createListenerSet<[]>();

  const listen = (key: string, listener: (event: AppEventBody) => void) => {
    const listeners = byType.get(key) ?? createListenerSet();
    byType.set(key, listeners);
    const off = listeners.add(listener);
    return () => {
      off();
      if (listeners.none() && byType.get(key) === listeners) byType.delete(key);
    };
  };
  const tell = (key: string, event: AppEventBody) => byType.get(key)?.tell(event);

  return {
    emit: (event) => {
      tell(event.type, event);
      if (event.type === 'output') tell(`output ${event.callId}`, event);
    },
    on: (type, listener) => listen(type, listener as (event: AppEventBody) => void),
    onOutput: (callId, listener) => listen(`output ${callId}`, listener as (event: AppEventBody) => void),
    onGap: gaps.add,
    emitGap: gaps.tell,
  };
}
