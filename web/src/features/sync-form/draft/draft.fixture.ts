import { maskedPassword, type SyncConfig } from '@portal/contract/sync/config';

/** Returns a stored configuration as the form receives it. */
export function storedConfig(change: Partial<SyncConfig> = {}): SyncConfig {
  return {
    enabled: true,
    enableHeliumToJourney: true,
    enableJourneyToHelium: true,
    helium: { appId: 'a-1', dbSchema: 'clinic_001', baseUrl: 'https://helium.example.com' },
    journey: {
      appId: 'j-1',
      baseUrl: 'https://run-testing-us.journeyapps.com/api/v4/5f0000000000000000000001',
      restAPICredentials: { userName: '5f0000000000000000000001', password: maskedPassword },
    },
    heliumToJourney: {
      changeLogMinVersion: 9_223_372_036_854_775_000,
      changeLogMinVersionAsString: '9223372036854775807',
      changeLogSkipTables: ['herd', 'stock_on_hand'],
    },
    journeyToHelium: { oplogMinVersion: 0, oplogMinVersionAsString: '0', oplogSkipObjectTypes: [] },
    journeyToHeliumEnrollment: {
      type: 'user',
      enabled: false,
      heliumObjectName: 'User',
      journeyObjectName: 'user',
      updateIntervalMins: 15,
      enrolledFieldName: 'enrolled',
    },
    conflictPolicy: 'later',
    basedOn: '2026-01-02T03:04:05.678Z',
    ...change,
  };
}
