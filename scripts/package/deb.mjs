// A Debian package out of the unpacked build, with dpkg-deb alone.
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inProject } from '../setup/project.mjs';

const DEPENDS =
  'libgtk-3-0 | libgtk-3-0t64, libnss3, libasound2 | libasound2t64, libgbm1, libxss1, libxtst6, libsecret-1-0';

export async function buildDeb({ folder, version, target, work }, must) {
  rmSync(work, { recursive: true, force: true });
  const at = (...parts) => join(work, ...parts);
  mkdirSync(at('DEBIAN'), { recursive: true });
  mkdirSync(at('opt'), { recursive: true });
  mkdirSync(at('usr', 'bin'), { recursive: true });
  mkdirSync(at('usr', 'share', 'applications'), { recursive: true });
  mkdirSync(at('usr', 'share', 'icons', 'hicolor', '512x512', 'apps'), { recursive: true });
  cpSync(folder, at('opt', 'Gatehouse'), { recursive: true, verbatimSymlinks: true });
  symlinkSync('/opt/Gatehouse/gatehouse', at('usr', 'bin', 'gatehouse'));
  cpSync(
    inProject('resources', 'icons', 'icon.png'),
    at('usr', 'share', 'icons', 'hicolor', '512x512', 'apps', 'gatehouse.png'),
  );
  writeFileSync(at('usr', 'share', 'applications', 'gatehouse.desktop'), DESKTOP);
  writeFileSync(at('DEBIAN', 'control'), control(version));
  // Chromium's sandbox needs its helper to be set-uid root where user namespaces are restricted.
  writeFileSync(at('DEBIAN', 'postinst'), POSTINST, { mode: 0o755 });
  await must('dpkg-deb', ['--root-owner-group', '-Zgzip', '--build', work, target]);
  rmSync(work, { recursive: true, force: true });
}

const DESKTOP = `[Desktop Entry]
Type=Application
Name=Gatehouse
Comment=Every tool call of an AI checked, approved, recorded and undoable
Exec=/opt/Gatehouse/gatehouse
Icon=gatehouse
Terminal=false
Categories=Development;
StartupWMClass=Gatehouse
`;

const POSTINST = `#!/bin/sh
set -e
chown root:root /opt/Gatehouse/chrome-sandbox
chmod 4755 /opt/Gatehouse/chrome-sandbox
`;

const control = (version) => `Package: gatehouse
Version: ${version}
Architecture: amd64
Section: devel
Priority: optional
Maintainer: Gatehouse <gatehouse@localhost>
Depends: ${DEPENDS}
Recommends: bubblewrap, perl
Description: stands between an AI and your machine
 Every tool call is checked, approved, sandboxed, recorded and undoable.
`;
