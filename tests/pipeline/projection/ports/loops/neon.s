	.arch armv8.2-a+crc+fp16+rcpc+dotprod+profile
	.file	"loops.cpp"
	.text
	.align	2
	.p2align 5,,15
	.global	dot
	.type	dot, %function
dot:
.LFB976:
	.cfi_startproc
	cmp	x0, 0
	ble	.L7
	sub	x3, x0, #1
	cmp	x3, 4
	bls	.L8
	movi	v0.2d, 0
	lsr	x4, x0, 1
	mov	x3, 0
	lsl	x4, x4, 4
	.p2align 5,,15
.L4:
	ldr	q2, [x1, x3]
	ldr	q1, [x2, x3]
	add	x3, x3, 16
	fmla	v0.2d, v2.2d, v1.2d
	cmp	x4, x3
	bne	.L4
	and	x4, x0, -2
	faddp	d0, v0.2d
	tbz	x0, 0, .L1
.L3:
	lsl	x3, x4, 3
	add	x5, x4, 1
	ldr	d2, [x1, x3]
	ldr	d1, [x2, x3]
	fmadd	d0, d2, d1, d0
	cmp	x0, x5
	ble	.L1
	add	x5, x3, 8
	add	x6, x4, 2
	ldr	d2, [x1, x5]
	ldr	d1, [x2, x5]
	fmadd	d0, d2, d1, d0
	cmp	x0, x6
	ble	.L1
	add	x5, x3, 16
	add	x6, x4, 3
	ldr	d2, [x1, x5]
	ldr	d1, [x2, x5]
	fmadd	d0, d2, d1, d0
	cmp	x0, x6
	ble	.L1
	add	x5, x3, 24
	add	x4, x4, 4
	ldr	d2, [x1, x5]
	ldr	d1, [x2, x5]
	fmadd	d0, d2, d1, d0
	cmp	x0, x4
	ble	.L1
	add	x3, x3, 32
	ldr	d2, [x2, x3]
	ldr	d1, [x1, x3]
	fmadd	d0, d2, d1, d0
.L1:
	ret
	.p2align 2,,3
.L7:
	movi	d0, #0
	ret
.L8:
	movi	d0, #0
	mov	x4, 0
	b	.L3
	.cfi_endproc
.LFE976:
	.size	dot, .-dot
	.align	2
	.p2align 5,,15
	.global	daxpy
	.type	daxpy, %function
daxpy:
.LFB977:
	.cfi_startproc
	cmp	x0, 0
	ble	.L11
	sub	x3, x0, #1
	cmp	x3, 1
	bls	.L16
	dup	v3.2d, v0.d[0]
	lsr	x4, x0, 1
	mov	x3, 0
	lsl	x4, x4, 4
	.p2align 5,,15
.L14:
	ldr	q1, [x2, x3]
	ldr	q2, [x1, x3]
	fmla	v1.2d, v2.2d, v3.2d
	str	q1, [x2, x3]
	add	x3, x3, 16
	cmp	x3, x4
	bne	.L14
	and	x4, x0, -2
	tbz	x0, 0, .L11
.L13:
	lsl	x3, x4, 3
	add	x4, x4, 1
	ldr	d1, [x2, x3]
	ldr	d2, [x1, x3]
	fmadd	d1, d2, d0, d1
	str	d1, [x2, x3]
	cmp	x0, x4
	ble	.L11
	add	x3, x3, 8
	ldr	d1, [x2, x3]
	ldr	d2, [x1, x3]
	fmadd	d0, d0, d2, d1
	str	d0, [x2, x3]
.L11:
	ret
.L16:
	mov	x4, 0
	b	.L13
	.cfi_endproc
.LFE977:
	.size	daxpy, .-daxpy
	.align	2
	.p2align 5,,15
	.global	stencil
	.type	stencil, %function
stencil:
.LFB978:
	.cfi_startproc
	cmp	x0, 2
	ble	.L18
	sub	x3, x0, #3
	sub	x6, x0, #2
	cmp	x3, 2
	bls	.L26
	mov	x5, x1
	lsr	x4, x6, 1
	fmov	v5.2d, 2.5e-1
	fmov	v4.2d, 5.0e-1
	lsl	x4, x4, 4
	mov	x3, 8
	ldr	q2, [x5], 8
	add	x4, x4, x3
	.p2align 5,,15
.L21:
	ldr	q1, [x5, x3]
	ldr	q3, [x1, x3]
	fadd	v0.2d, v2.2d, v1.2d
	mov	v2.16b, v1.16b
	fmul	v0.2d, v0.2d, v5.2d
	fmla	v0.2d, v3.2d, v4.2d
	str	q0, [x2, x3]
	add	x3, x3, 16
	cmp	x4, x3
	bne	.L21
	orr	x4, x6, 1
	tbz	x6, 0, .L18
.L20:
	add	x5, x4, 1
	add	x9, x1, x4, lsl 3
	lsl	x3, x4, 3
	cmp	x5, x6
	bge	.L23
	add	x5, x3, 8
	add	x8, x3, 16
	ldr	d0, [x9, -8]
	fmov	d4, 2.5e-1
	fmov	d3, 5.0e-1
	add	x7, x4, 3
	ldr	d1, [x1, x5]
	ldr	d5, [x1, x3]
	ldr	d6, [x1, x8]
	fadd	d0, d1, d0
	fadd	d2, d5, d6
	fmul	d0, d0, d4
	fmul	d2, d2, d4
	fmadd	d0, d5, d3, d0
	fmadd	d2, d1, d3, d2
	str	d0, [x2, x3]
	str	d2, [x2, x5]
	cmp	x6, x7
	bgt	.L24
	add	x4, x4, 2
	lsl	x3, x4, 3
	add	x5, x4, 1
.L23:
	add	x7, x3, 8
	add	x6, x1, x3
	fmov	d3, 2.5e-1
	ldr	d0, [x1, x3]
	fmov	d2, 5.0e-1
	sub	x0, x0, #1
	ldr	d1, [x6, -8]
	ldr	d4, [x1, x7]
	fadd	d1, d4, d1
	fmul	d1, d1, d3
	fmadd	d1, d0, d2, d1
	str	d1, [x2, x3]
	cmp	x0, x5
	ble	.L18
	add	x3, x3, 16
	add	x4, x4, 2
	ldr	d1, [x1, x3]
	fadd	d0, d0, d1
	fmul	d0, d0, d3
	fmadd	d0, d4, d2, d0
	str	d0, [x2, x7]
	cmp	x0, x4
	ble	.L18
	ldr	d0, [x6, 8]
	ldr	d4, [x6, 24]
	fadd	d0, d0, d4
	fmul	d0, d0, d3
	fmadd	d0, d1, d2, d0
	str	d0, [x2, x3]
.L18:
	ret
	.p2align 2,,3
.L24:
	add	x5, x3, 24
	add	x10, x3, 32
	add	x7, x4, 5
	ldr	d2, [x1, x5]
	ldr	d5, [x1, x10]
	fadd	d0, d1, d2
	fadd	d1, d6, d5
	fmul	d0, d0, d4
	fmul	d1, d1, d4
	fmadd	d0, d6, d3, d0
	fmadd	d1, d2, d3, d1
	str	d0, [x2, x8]
	str	d1, [x2, x5]
	cmp	x6, x7
	ble	.L31
	add	x6, x3, 40
	ldr	d1, [x9, 48]
	add	x4, x4, 6
	lsl	x3, x4, 3
	add	x5, x4, 1
	ldr	d6, [x1, x6]
	fadd	d1, d5, d1
	fadd	d0, d6, d2
	fmul	d1, d1, d4
	fmul	d0, d0, d4
	fmadd	d1, d6, d3, d1
	fmadd	d0, d5, d3, d0
	str	d0, [x2, x10]
	str	d1, [x2, x6]
	b	.L23
	.p2align 2,,3
.L31:
	add	x4, x4, 4
	lsl	x3, x4, 3
	add	x5, x4, 1
	b	.L23
.L26:
	mov	x4, 1
	b	.L20
	.cfi_endproc
.LFE978:
	.size	stencil, .-stencil
	.align	2
	.p2align 5,,15
	.global	gather
	.type	gather, %function
gather:
.LFB979:
	.cfi_startproc
	cmp	x0, 0
	ble	.L32
	mov	x4, 0
	.p2align 5,,15
.L34:
	ldrsw	x5, [x2, x4, lsl 2]
	ldr	d0, [x1, x5, lsl 3]
	fadd	d0, d0, d0
	str	d0, [x3, x4, lsl 3]
	add	x4, x4, 1
	cmp	x0, x4
	bne	.L34
.L32:
	ret
	.cfi_endproc
.LFE979:
	.size	gather, .-gather
	.align	2
	.p2align 5,,15
	.global	division
	.type	division, %function
division:
.LFB980:
	.cfi_startproc
	mov	x6, x0
	cmp	x0, 0
	ble	.L36
	cmp	x0, 1
	beq	.L41
	lsr	x5, x0, 1
	mov	x4, 0
	lsl	x5, x5, 4
	.p2align 5,,15
.L39:
	ldr	q0, [x1, x4]
	ldr	q1, [x2, x4]
	fdiv	v0.2d, v0.2d, v1.2d
	str	q0, [x3, x4]
	add	x4, x4, 16
	cmp	x4, x5
	bne	.L39
	and	x0, x6, -2
	tbz	x6, 0, .L36
.L38:
	lsl	x0, x0, 3
	ldr	d1, [x2, x0]
	ldr	d0, [x1, x0]
	fdiv	d0, d0, d1
	str	d0, [x3, x0]
.L36:
	ret
.L41:
	mov	x0, 0
	b	.L38
	.cfi_endproc
.LFE980:
	.size	division, .-division
	.align	2
	.p2align 5,,15
	.global	square_root
	.type	square_root, %function
square_root:
.LFB981:
	.cfi_startproc
	mov	x5, x0
	cmp	x0, 0
	ble	.L43
	cmp	x0, 1
	beq	.L48
	lsr	x4, x0, 1
	mov	x3, 0
	lsl	x4, x4, 4
	.p2align 5,,15
.L46:
	ldr	q0, [x1, x3]
	fsqrt	v0.2d, v0.2d
	str	q0, [x2, x3]
	add	x3, x3, 16
	cmp	x3, x4
	bne	.L46
	and	x0, x5, -2
	tbz	x5, 0, .L43
.L45:
	lsl	x0, x0, 3
	ldr	d0, [x1, x0]
	fsqrt	d0, d0
	str	d0, [x2, x0]
.L43:
	ret
.L48:
	mov	x0, 0
	b	.L45
	.cfi_endproc
.LFE981:
	.size	square_root, .-square_root
	.align	2
	.p2align 5,,15
	.global	flux
	.type	flux, %function
flux:
.LFB982:
	.cfi_startproc
	cmp	x0, 0
	ble	.L56
	mov	x5, 7378697629483820646
	stp	d8, d9, [sp, -80]!
	.cfi_def_cfa_offset 80
	.cfi_offset 72, -80
	.cfi_offset 73, -72
	adrp	x6, .LC0
	movk	x5, 0x3ff6, lsl 48
	stp	d10, d11, [sp, 16]
	fmov	d31, 1.0e+0
	ldr	d8, [x6, #:lo12:.LC0]
	fmov	d9, 5.0e-1
	add	x7, x1, x0, lsl 3
	.cfi_offset 74, -64
	.cfi_offset 75, -56
	fmov	d10, x5
	stp	d12, d13, [sp, 32]
	stp	d14, d15, [sp, 48]
	.cfi_offset 76, -48
	.cfi_offset 77, -40
	.cfi_offset 78, -32
	.cfi_offset 79, -24
	.p2align 5,,15
.L52:
	ldp	w5, w0, [x1]
	add	x1, x1, 8
	ldp	d18, d17, [x2]
	add	x2, x2, 24
	ldr	d16, [x2, -8]
	add	w5, w5, w5, lsl 2
	add	w0, w0, w0, lsl 2
	sbfiz	x5, x5, 3, 32
	sbfiz	x0, x0, 3, 32
	add	x6, x3, x5
	ldr	d15, [x3, x5]
	add	x5, x3, x0
	ldr	d12, [x3, x0]
	ldp	d4, d7, [x5, 24]
	fdiv	d0, d31, d15
	ldp	d19, d14, [x6, 24]
	fmul	d30, d15, d9
	ldp	d6, d5, [x5, 8]
	fsub	d1, d15, d12
	fmul	d29, d12, d9
	ldp	d21, d20, [x6, 8]
	fdiv	d13, d31, d12
	fsub	d3, d14, d7
	fsub	d26, d19, d4
	fsub	d27, d20, d5
	fsub	d28, d21, d6
	stp	d1, d3, [sp, 64]
	fmul	d2, d20, d0
	fmul	d25, d21, d0
	fmul	d23, d19, d0
	fmul	d0, d0, d10
	fmul	d3, d13, d5
	fmul	d24, d13, d6
	fmul	d11, d2, d2
	fmul	d22, d13, d4
	fmul	d13, d13, d10
	fmul	d2, d17, d2
	fmul	d1, d3, d3
	fmadd	d11, d25, d25, d11
	fmul	d3, d17, d3
	fmadd	d2, d18, d25, d2
	fmadd	d1, d24, d24, d1
	fmadd	d11, d23, d23, d11
	fmadd	d3, d18, d24, d3
	fmadd	d2, d16, d23, d2
	fmadd	d1, d22, d22, d1
	fmsub	d11, d11, d30, d14
	fmadd	d3, d16, d22, d3
	fmsub	d1, d1, d29, d7
	fmul	d11, d11, d8
	fmul	d6, d6, d3
	fmul	d5, d5, d3
	fmul	d4, d4, d3
	fmul	d12, d12, d3
	fmul	d1, d1, d8
	fmul	d0, d0, d11
	fadd	d14, d14, d11
	fmadd	d6, d21, d2, d6
	fmadd	d5, d20, d2, d5
	fmadd	d4, d19, d2, d4
	fmadd	d12, d15, d2, d12
	fmul	d13, d13, d1
	fsqrt	d0, d0
	fadd	d7, d7, d1
	fadd	d1, d11, d1
	fsqrt	d13, d13
	fmul	d7, d7, d3
	fmadd	d7, d14, d2, d7
	ldp	d2, d3, [sp, 64]
	fadd	d0, d0, d13
	fmadd	d6, d28, d0, d6
	fmadd	d5, d27, d0, d5
	fmadd	d4, d26, d0, d4
	fmadd	d7, d3, d0, d7
	fmadd	d12, d2, d0, d12
	fmadd	d6, d18, d1, d6
	fmadd	d5, d17, d1, d5
	fmadd	d4, d16, d1, d4
	str	d7, [x4, 32]
	stp	d12, d6, [x4]
	stp	d5, d4, [x4, 16]
	add	x4, x4, 40
	cmp	x7, x1
	bne	.L52
	ldp	d10, d11, [sp, 16]
	ldp	d12, d13, [sp, 32]
	ldp	d14, d15, [sp, 48]
	ldp	d8, d9, [sp], 80
	.cfi_restore 73
	.cfi_restore 72
	.cfi_restore 78
	.cfi_restore 79
	.cfi_restore 76
	.cfi_restore 77
	.cfi_restore 74
	.cfi_restore 75
	.cfi_def_cfa_offset 0
	ret
	.p2align 2,,3
.L56:
	ret
	.cfi_endproc
.LFE982:
	.size	flux, .-flux
	.align	2
	.p2align 5,,15
	.global	integer
	.type	integer, %function
integer:
.LFB983:
	.cfi_startproc
	mov	x6, x0
	cmp	x0, 0
	ble	.L62
	mov	x0, 899
	mov	x7, 31765
	movk	x0, 0x739d, lsl 16
	movk	x7, 0x7f4a, lsl 16
	movk	x0, 0xfb0, lsl 32
	movk	x7, 0x79b9, lsl 32
	mov	x3, 0
	movk	x0, 0x1465, lsl 48
	movk	x7, 0x9e37, lsl 48
	.p2align 5,,15
.L61:
	ldr	x2, [x1, x3, lsl 3]
	eor	x2, x2, x2, lsr 29
	and	x4, x2, x3
	add	x3, x3, 1
	mul	x5, x2, x7
	eor	x2, x5, x2, lsl 7
	eor	x2, x2, x4
	add	x0, x0, x2
	cmp	x6, x3
	bne	.L61
	ret
	.p2align 2,,3
.L62:
	mov	x0, 899
	movk	x0, 0x739d, lsl 16
	movk	x0, 0xfb0, lsl 32
	movk	x0, 0x1465, lsl 48
	ret
	.cfi_endproc
.LFE983:
	.size	integer, .-integer
	.align	2
	.p2align 5,,15
	.global	shuffle
	.type	shuffle, %function
shuffle:
.LFB984:
	.cfi_startproc
	mov	x6, x0
	cmp	x0, 0
	ble	.L64
	cmp	x0, 1
	beq	.L69
	lsr	x5, x0, 1
	mov	x3, x1
	add	x5, x1, x5, lsl 6
	mov	x4, x2
	.p2align 5,,15
.L67:
	ld4	{v4.2d - v7.2d}, [x3], 64
	fneg	v0.2d, v7.2d
	mov	v1.16b, v6.16b
	fneg	v2.2d, v5.2d
	mov	v3.16b, v4.16b
	st4	{v0.2d - v3.2d}, [x4], 64
	cmp	x5, x3
	bne	.L67
	and	x0, x6, -2
	tbz	x6, 0, .L64
.L66:
	lsl	x0, x0, 5
	add	x3, x0, 24
	add	x5, x0, 8
	add	x4, x0, 16
	ldr	d2, [x1, x0]
	ldr	d1, [x1, x3]
	ldr	d0, [x1, x5]
	ldr	d3, [x1, x4]
	fneg	d1, d1
	fneg	d0, d0
	str	d1, [x2, x0]
	str	d3, [x2, x5]
	str	d0, [x2, x4]
	str	d2, [x2, x3]
.L64:
	ret
.L69:
	mov	x0, 0
	b	.L66
	.cfi_endproc
.LFE984:
	.size	shuffle, .-shuffle
	.align	2
	.p2align 5,,15
	.global	polynomial
	.type	polynomial, %function
polynomial:
.LFB985:
	.cfi_startproc
	cmp	x0, 0
	ble	.L71
	sub	x3, x0, #1
	cmp	x3, 28
	bls	.L77
	adrp	x5, .LC2
	adrp	x3, .LC1
	fmov	v17.2d, 5.0e-1
	fmov	v1.2d, 1.0e+0
	lsr	x4, x0, 1
	ldr	q16, [x5, #:lo12:.LC2]
	adrp	x5, .LC3
	lsl	x4, x4, 4
	ldr	q7, [x5, #:lo12:.LC3]
	adrp	x5, .LC4
	ldr	q6, [x5, #:lo12:.LC4]
	adrp	x5, .LC5
	ldr	q5, [x5, #:lo12:.LC5]
	adrp	x5, .LC6
	ldr	q4, [x5, #:lo12:.LC6]
	ldr	q18, [x3, #:lo12:.LC1]
	mov	x3, 0
	.p2align 5,,15
.L74:
	mov	v3.16b, v16.16b
	mov	v2.16b, v7.16b
	ldr	q0, [x1, x3]
	fmla	v3.2d, v0.2d, v18.2d
	fmla	v2.2d, v3.2d, v0.2d
	mov	v3.16b, v6.16b
	fmla	v3.2d, v2.2d, v0.2d
	mov	v2.16b, v5.16b
	fmla	v2.2d, v3.2d, v0.2d
	mov	v3.16b, v4.16b
	fmla	v3.2d, v2.2d, v0.2d
	mov	v2.16b, v17.16b
	fmla	v2.2d, v0.2d, v3.2d
	mov	v3.16b, v1.16b
	fmla	v3.2d, v0.2d, v2.2d
	mov	v2.16b, v1.16b
	fmla	v2.2d, v0.2d, v3.2d
	str	q2, [x2, x3]
	add	x3, x3, 16
	cmp	x3, x4
	bne	.L74
	and	x3, x0, -2
	tbz	x0, 0, .L71
.L73:
	adrp	x4, .LC7
	mov	x6, 1229782938247303441
	fmov	d6, 5.0e-1
	mov	x5, 6148914691236517205
	movk	x6, 0x3f81, lsl 48
	fmov	d2, 1.0e+0
	ldr	d17, [x4, #:lo12:.LC7]
	movk	x5, 0x3fa5, lsl 48
	mov	x4, 6148914691236517205
	movk	x4, 0x3fc5, lsl 48
	fmov	d5, x6
	adrp	x7, .LC8
	fmov	d4, x5
	fmov	d3, x4
	adrp	x4, .LC9
	ldr	d16, [x7, #:lo12:.LC8]
	ldr	d7, [x4, #:lo12:.LC9]
	.p2align 5,,15
.L76:
	ldr	d1, [x1, x3, lsl 3]
	fmadd	d0, d1, d17, d16
	fmadd	d0, d0, d1, d7
	fmadd	d0, d0, d1, d5
	fmadd	d0, d0, d1, d4
	fmadd	d0, d0, d1, d3
	fmadd	d0, d0, d1, d6
	fmadd	d0, d0, d1, d2
	fmadd	d0, d0, d1, d2
	str	d0, [x2, x3, lsl 3]
	add	x3, x3, 1
	cmp	x0, x3
	bgt	.L76
.L71:
	ret
.L77:
	mov	x3, 0
	b	.L73
	.cfi_endproc
.LFE985:
	.size	polynomial, .-polynomial
	.section	.rodata.cst8,"aM",@progbits,8
	.align	3
.LC0:
	.word	-1717986918
	.word	1071225241
	.section	.rodata.cst16,"aM",@progbits,16
	.align	4
.LC1:
	.word	436314138
	.word	1056571808
	.word	436314138
	.word	1056571808
	.align	4
.LC2:
	.word	436314138
	.word	1059717536
	.word	436314138
	.word	1059717536
	.align	4
.LC3:
	.word	381774871
	.word	1062650220
	.word	381774871
	.word	1062650220
	.align	4
.LC4:
	.word	286331153
	.word	1065423121
	.word	286331153
	.word	1065423121
	.align	4
.LC5:
	.word	1431655765
	.word	1067799893
	.word	1431655765
	.word	1067799893
	.align	4
.LC6:
	.word	1431655765
	.word	1069897045
	.word	1431655765
	.word	1069897045
	.set	.LC7,.LC1
	.set	.LC8,.LC2
	.set	.LC9,.LC3
	.section	.note.GNU-stack,"",@progbits
