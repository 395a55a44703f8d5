import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from '@mantine/core';
import { renderLoadingButton } from './loading-button.tsx';

const accent: MantineColorsTuple = [
  '#eef1fd',
  '#dbe1fa',
  '#b7c3f5',
  '#9fb0fa',
  '#8499f5',
  '#5f77df',
  '#3d56c9',
  '#3349b3',
  '#2a3c95',
  '#212f75',
];
/** The neutral scale of the dark scheme, light text first. */
const dark: MantineColorsTuple = [
  '#e6e8eb',
  '#c4c9d0',
  '#a2a9b4',
  '#6d7480',
  '#69707c',
  '#2b2f36',
  '#212429',
  '#16181c',
  '#121417',
  '#0d0f11',
];
const gray: MantineColorsTuple = [
  '#f6f7f8',
  '#f1f3f5',
  '#e3e6ea',
  '#d5d9de',
  '#878e99',
  '#9aa2ad',
  '#6c7480',
  '#5a616d',
  '#343940',
  '#191c21',
];

/** Short enough to feel immediate; disabled where the system requests reduced motion. */
const transitionProps = { duration: 120 };
/** A closed dialog is removed at once, because the page behind it is inert until then. */
const dialogTransition = { duration: 120, exitDuration: 0 };
const overlayProps = { backgroundOpacity: 0.45 };

/**
 * Uses our color tokens for filled and subtle gray buttons, so that they are readable in both
 * schemes.
 */
const variantColorResolver: VariantColorsResolver = (input) => {
  const resolved = defaultVariantColorsResolver(input);
  if (input.variant === 'subtle' && input.color === 'gray') {
    return {
      ...resolved,
      color: 'var(--color-text-muted)',
      hover: 'var(--color-hover)',
      hoverColor: 'var(--color-text)',
    };
  }
  if (input.variant !== 'filled') return resolved;
  const border = '1px solid transparent';
  const { color = input.theme.primaryColor } = input;
  if (color === 'accent') {
    return {
      background: 'var(--color-accent)',
      hover: 'var(--color-accent-hover)',
      color: 'var(--color-on-accent)',
      border,
    };
  }
  if (color === 'red') {
    const hover = 'color-mix(in srgb, var(--color-danger) 88%, var(--color-text))';
    return { background: 'var(--color-danger)', hover, color: 'var(--color-surface)', border };
  }
  return resolved;
};

/**
 * Mantine renders a dialog's title bar as `header`, which screen readers would announce as a page
 * banner.
 */
const dialogAttributes = { header: { role: 'presentation' } };

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 6, dark: 4 },
  colors: { accent, dark, gray },
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--font-mono)',
  fontSizes: {
    xs: 'var(--font-size-label)',
    sm: 'var(--font-size-table)',
    md: 'var(--font-size-body)',
    lg: 'var(--font-size-heading)',
    xl: 'var(--font-size-title)',
  },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.45', lg: '1.5', xl: '1.5' },
  radius: { xs: 'var(--radius-s)', sm: 'var(--radius)', md: 'var(--radius-l)', xl: 'var(--radius-full)' },
  defaultRadius: 'sm',
  variantColorResolver,
  cursorType: 'pointer',
  respectReducedMotion: true,
  // Keyed by name: importing the components would load all of them with the first screen.
  components: {
    ActionIcon: { defaultProps: { variant: 'subtle' } },
    Button: { defaultProps: { size: 'sm', renderRoot: renderLoadingButton } },
    // An image without a name for screen readers otherwise.
    ComboboxChevron: { defaultProps: { 'aria-hidden': true } },
    Drawer: { defaultProps: { attributes: dialogAttributes, overlayProps, transitionProps: dialogTransition } },
    Modal: { defaultProps: { attributes: dialogAttributes, overlayProps, transitionProps: dialogTransition } },
    Popover: { defaultProps: { transitionProps, shadow: 'md' } },
    Select: {
      defaultProps: {
        comboboxProps: { transitionProps, shadow: 'md' },
        // Enter takes the first match.
        selectFirstOptionOnChange: true,
      },
    },
    TextInput: { defaultProps: { size: 'sm' } },
  },
});

/** Maps Mantine's variables to our tokens, so that both use the same colors. */
const shared = {
  '--mantine-color-body': 'var(--color-surface)',
  '--mantine-color-text': 'var(--color-text)',
  '--mantine-color-dimmed': 'var(--color-text-muted)',
  '--mantine-color-placeholder': 'var(--color-text-muted)',
  '--mantine-color-anchor': 'var(--color-accent-text)',
  '--mantine-color-error': 'var(--color-danger)',
  '--mantine-color-default-border': 'var(--color-border-strong)',
  '--mantine-color-default': 'var(--color-surface)',
  '--mantine-color-default-hover': 'var(--color-hover)',
  '--mantine-primary-color-filled': 'var(--color-accent)',
};

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: shared,
  dark: shared,
});
