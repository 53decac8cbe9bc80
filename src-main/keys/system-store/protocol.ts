/** Everything the process of the system's store is asked. */
export interface StoreService {
  get(name: string): string | null;
  set(name: string, value: string): void;
}
