export function electronExecutable(): string;
export function runtimeReady(): boolean;
export function ensureElectronRuntime(): Promise<void>;
