export interface ListenerSet<Told extends readonly unknown[]> {
  /** Gives back the way to stop listening. */
  readonly add: (listener: (...told: Told) => void) => () => void;
  readonly tell: (...told: Told) => void;
  readonly none: () => boolean;
}

export function createListenerSet<Told extends readonly unknown[]>(): ListenerSet<Told> {
  const listeners = new Set<(...told: Told) => void>();
  return {
    add: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    tell: (...told) => listeners.forEach((listener) => listener(...told)),
    none: () => listeners.size === 0,
  };
}
