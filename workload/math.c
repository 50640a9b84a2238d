// SPDX-License-Identifier: GPL-2.0-only
/*
 * The logarithm, the exponential function and the normal distribution's quantiles from
 * + - * / alone, which IEEE 754 defines to the bit: distributions are then the same bytes
 * whatever compiler and C library. Good to about 1e-14.
 */
#include "workload/private.h"

#include <string.h>

/* ln 2 in two parts, the first with zeros at its end, so that its multiples are exact. */
#define LN2_HIGH	0x1.62e42fee00000p-1
#define LN2_LOW		0x1.a39ef35793c76p-33

double work_log(double x)
{
	double t, square, power, sum = 0.0;
	int exponent;
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	exponent = (int)(bits >> 52) - 1023;
	bits = (bits & ((1ULL << 52) - 1)) | 1023ULL << 52;
	memcpy(&x, &bits, sizeof(x));
	if (x > 1.4142135623730951) {
		x *= 0.5;
		exponent++;
	}
	t = (x - 1.0) / (x + 1.0);	/* ln x = 2 artanh t */
	square = t * t;
	power = t;
	for (int i = 1; i < 30; i += 2) {
		sum += power / i;
		power *= square;
	}
	return 2.0 * sum + exponent * LN2_LOW + exponent * LN2_HIGH;
}

double work_exp(double x)
{
	double n = x * 1.4426950408889634, term = 1.0, sum = 1.0, scale;
	int exponent = (int)(n < 0.0 ? n - 0.5 : n + 0.5);
	uint64_t bits = (uint64_t)(exponent + 1023) << 52;

	x = x - exponent * LN2_HIGH - exponent * LN2_LOW;
	for (int i = 1; i < 18; i++) {
		term = term * x / i;
		sum += term;
	}
	memcpy(&scale, &bits, sizeof(scale));
	return sum * scale;
}

/* The density, and the integral from 0 to z: z + z^3/3 + z^5/15 + ... times it. */
static double density(double z)
{
	return 0.3989422804014327 * work_exp(-0.5 * z * z);
}

static double integral(double z)
{
	double term = z, sum = z;

	for (int i = 3; term > 1e-17 * sum; i += 2) {
		term = term * z * z / i;
		sum += term;
	}
	return sum * density(z);
}

/* Newton's steps from 0 go up to the quantile and never beyond: the integral is concave. */
double work_normal_quantile(double u)
{
	double wanted = u < 0.5 ? 0.5 - u : u - 0.5, z = 0.0, step = 1.0;

	for (int i = 0; i < 100 && step > 1e-12; i++) {
		step = (wanted - integral(z)) / density(z);
		z += step;
	}
	return u < 0.5 ? -z : z;
}
