import { useState } from 'react';
import type { LicensedPackage } from '../../../shared/ipc/app.ts';
import { words } from '../../../shared/words/words.ts';
import { Button, useBusy } from '../../design/Button.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { Mark } from '../../design/drawings.tsx';
import { Disclosure } from '../../design/Page.tsx';
import { outdatedElectronWords } from '../../format/phrases.ts';
import { useApp, useAppModel } from '../../state/app-context.ts';

/** The version, and links to more. */
export function About() {
  const model = useAppModel();
  const info = useApp((state) => state.info);
  const [isBusy, run] = useBusy();
  const [shipped, setShipped] = useState<readonly LicensedPackage[]>();
  const showLicences = async (): Promise<void> => {
    const reply = await model.ask('app.licences');
    if (reply.ok) setShipped(reply.value);
  };
  return (
    <div className="row">
      <Mark size={44} />
      <div className="grow">
        <p className="name">Nocturne {info?.version}</p>
        <p className="soft">{words.settings.program.what}</p>
        {info?.outdatedElectron !== undefined && (
          <p className="wrong" role="alert">
            {outdatedElectronWords(info.outdatedElectron)}
          </p>
        )}
      </div>
      <Button look="quiet" disabled={isBusy} onClick={() => run(showLicences)}>
        {words.settings.program.openLicences}
      </Button>
      <Button onClick={() => void model.ask('help.open', { topic: 'readme' })}>
        {words.settings.program.documentation}
      </Button>
      {shipped !== undefined && <Licences shipped={shipped} onClose={() => setShipped(undefined)} />}
    </div>
  );
}

interface LicencesProps {
  readonly shipped: readonly LicensedPackage[];
  readonly onClose: () => void;
}

/** The work of others that is in the program. */
function Licences({ shipped, onClose }: LicencesProps) {
  return (
    <Dialog
      title={words.settings.program.licences}
      about={words.settings.program.packages(shipped.length)}
      hint={words.settings.program.licencesHint}
      isWide
      hasClose
      testId="licences"
      onClose={onClose}
    >
      <div className="selectable scroll">
        {shipped.map(({ name, version, licence, text }) => (
          <Disclosure
            key={`${name} ${version}`}
            head={
              <>
                <span className="grow">
                  {name} {version}
                </span>
                <span className="soft">{licence}</span>
              </>
            }
          >
            <pre>{text}</pre>
          </Disclosure>
        ))}
      </div>
    </Dialog>
  );
}
