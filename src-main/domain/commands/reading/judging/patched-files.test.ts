import { expect, it } from 'vitest';
import { readAlone } from '../reading.test-support.js';

const PATCH = `diff --git a/.claude/settings.json b/.claude/settings.json
new file mode 100644
--- /dev/null
+++ b/.claude/settings.json
@@ -0,0 +1 @@
+{}
diff --git a/src/old.ts b/src/old.ts
deleted file mode 100644
--- a/src/old.ts
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/src/from.ts b/src/to.ts
similarity index 100%
rename from src/from.ts
rename to src/to.ts
diff --git a/.envrc b/.envrc
new file mode 100644
index 0000000..e69de29
diff --git "a/\\303\\244.txt" "b/\\303\\244.txt"
--- "a/\\303\\244.txt"
+++ "b/\\303\\244.txt"
@@ -1 +1 @@
-a
+b
`;
const folder = {
  roots: ['/work'],
  files: () => ['own.patch', 'plain.diff'],
  text: (path: string) =>
    path === 'own.patch' || path === 'sub/own.patch' ? PATCH : path === 'plain.diff' ? '--- a\n+++ x/.envrc\n' : null,
  tracked: () => null,
};

it.each([
  'git apply own.patch',
  'git apply --cached own.patch',
  'git am < own.patch; git am own.patch',
  'cd . && git apply -3 own.patch',
])('%s names what the patch names', (command) => {
  const { files, controlFiles, found, leaves } = readAlone(command, folder);
  expect(files.map(({ path, does }) => `${does} ${path}`).toSorted()).toEqual([
    'changes .claude/settings.json',
    'changes .envrc',
    'changes src/to.ts',
    'changes ä.txt',
    'deletes src/from.ts',
    'deletes src/old.ts',
  ]);
  expect(controlFiles).toEqual(['.claude/settings.json', '.envrc']);
  expect(leaves.named).toEqual(['.claude/settings.json', '.envrc']);
  expect(found.some(({ kind }) => kind === 'control-file')).toBe(true);
});

it.each([
  ['git apply -p0 plain.diff', ['x/.envrc']],
  ['git apply plain.diff', ['.envrc']],
  ['git apply --directory=sub plain.diff', ['sub/.envrc']],
  ['cd sub && git apply own.patch', ['sub/.claude/settings.json', 'sub/.envrc']],
  ["git apply <<'EOF'\n--- /dev/null\n+++ b/.mcp.json\nEOF", ['.mcp.json']],
  ['git apply --stat own.patch', []],
  ['git am --abort', []],
  ['git apply nothing.patch', []],
] as const)('%s: %j', (command, named) => expect(readAlone(command, folder).controlFiles).toEqual(named));
