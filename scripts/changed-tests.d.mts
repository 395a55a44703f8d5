export function findChangedTests(): Promise<string[]>;
export function findBrowserTests(changed: readonly string[]): string[];
