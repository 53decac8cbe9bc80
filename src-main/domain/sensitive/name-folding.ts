/**
 * Two names that some file system takes for the same must look the same to the rules: case and normal forms (APFS, NTFS),
 * code points that are ignored (HFS+), trailing dots and blanks (Windows). On a system that keeps them apart this refuses
 * a little more than it must; it never refuses less.
 */
export function foldPath(path: string): string {
  // Plain names, which most are, have nothing to fold but their case.
  if (/^[!-~]+$/.test(path) && !/\.(?:\/|$)/.test(path)) return path.toLowerCase();
  return path
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .split('/')
    .map((name) => (/^\.{1,2}$/.test(name) ? name : name.replace(/[. ]+$/, '')))
    .join('/');
}
