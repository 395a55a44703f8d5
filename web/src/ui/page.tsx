import { IconChevronRight } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode, useEffect, useRef } from 'react';
import { whenPageIsFree } from './dialog-layers.ts';
import { replaceHidden } from './hidden-characters.ts';
import styles from './page.module.css';
import { PlatformText } from './platform-text.tsx';

export interface Crumb {
  readonly label: string;
  /**
   * A route with its values filled in, such as "/apps". Without it, the crumb is the current page.
   */
  readonly to?: string;
}

let isFirstScreen = true;

function isInContent(element: Element | null): boolean {
  return element?.closest('main') != null;
}

/** The layout every screen shares. Adds the Home breadcrumb. */
export function Page(props: {
  /** The crumbs after Home; the last one is this page. */
  crumbs: readonly Crumb[];
  title: string;
  /** The part of the subject that this page shows, as a part of its heading. */
  part?: string;
  /** The title of the browser tab, if different from `title`. */
  tabTitle?: string;
  /** State and ids next to the title. */
  chips?: ReactNode;
  /** One line about the purpose of the page. */
  lead?: ReactNode;
  actions?: ReactNode;
  /** Links to the other pages of the same subject. What follows them belongs to this page only. */
  tabs?: ReactNode;
  children?: ReactNode;
}) {
  const { title, tabTitle = title } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${replaceHidden(tabTitle)} · Portal`;
  }, [tabTitle]);
  useEffect(() => {
    // On navigation, keyboard and screen reader users start at the new title, not where they left
    // the last screen. A reload does not move the focus; a sign-in is an action of the user and
    // does.
    const isReload = isFirstScreen && !navigator.userActivation.hasBeenActive;
    if (!isReload && !isInContent(document.activeElement))
      whenPageIsFree(() => heading.current?.focus({ preventScroll: true }));
    isFirstScreen = false;
  }, []);
  const titleLine = (
    <div className={styles.titleLine}>
      <h1 ref={heading} tabIndex={-1}>
        <PlatformText text={title} />
        {props.part !== undefined && <span className={styles.part}> {props.part}</span>}
      </h1>
      {props.chips}
    </div>
  );
  const lead = props.lead ? <p className={styles.lead}>{props.lead}</p> : null;
  const actions = props.actions ? (
    <div className="row" data-page-actions>
      {props.actions}
    </div>
  ) : null;
  return (
    <div className={styles.page}>
      <nav aria-label="Breadcrumb" className={styles.crumbs} data-short={props.tabs ? true : undefined}>
        <ol>
          <li>
            <Link to="/">Home</Link>
          </li>
          {props.crumbs.map((crumb) => (
            <Fragment key={crumb.label}>
              <li aria-hidden="true" className={styles.between}>
                <IconChevronRight size={13} stroke={1.6} />
              </li>
              <li aria-current={crumb.to === undefined ? 'page' : undefined}>
                {crumb.to === undefined ? (
                  <PlatformText text={crumb.label} />
                ) : (
                  // Exact, because a parent screen is not the current page.
                  <Link to={crumb.to} activeOptions={{ exact: true }}>
                    <PlatformText text={crumb.label} />
                  </Link>
                )}
              </li>
            </Fragment>
          ))}
        </ol>
      </nav>
      {props.tabs ? (
        <>
          <div className={styles.place}>
            {titleLine}
            {props.tabs}
          </div>
          {(lead || actions) && (
            <div className={styles.tabHead}>
              {lead}
              {actions}
            </div>
          )}
        </>
      ) : (
        <div className={styles.head}>
          <div className={styles.headText}>
            {titleLine}
            {lead}
          </div>
          {actions}
        </div>
      )}
      {props.children}
    </div>
  );
}
