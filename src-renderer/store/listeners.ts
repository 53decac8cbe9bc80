export interface Listeners<Told extends readonly unknown[]> {
  /** Gives back the way to stop listening. */
  readonly add: (listener: (...told: Told) => void) => () => void;
  readonly tell: (...told: Told) => void;
  readonly none: () => boolean;
}

export function createListeners<Told extends readonly unknown[]>(): Listeners<Told> {
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
