! Waves on a shallow sea: steps a grid of heights and currents, watches gauges near the coast, and keeps snapshots for a film.
module sea_mod
    implicit none
    integer, parameter :: dp = kind(1.0d0)
    real(dp), parameter :: gravity = 9.81_dp, depth = 40.0_dp

    type :: state
        integer :: nx, ny
        real(dp) :: time
        real(dp), allocatable :: h(:, :), u(:, :), v(:, :)
    end type

    type :: snapshot
        real(dp) :: time
        real(dp), allocatable :: h(:, :)
    end type

    type :: gauge
        integer :: i, j
        integer :: count = 0
        real(dp), allocatable :: level(:)
    end type

    type :: film
        integer :: count = 0
        type(snapshot) :: frames(2000)
    end type

contains

    subroutine start(sea, nx, ny)
        type(state), intent(out) :: sea
        integer, intent(in) :: nx, ny
        integer :: i, j

        sea%nx = nx
        sea%ny = ny
        sea%time = 0
        allocate (sea%h(nx, ny), sea%u(nx, ny), sea%v(nx, ny))
        sea%u = 0
        sea%v = 0
        do j = 1, ny
            do i = 1, nx
                sea%h(i, j) = 2 * exp(-((i - nx / 3)**2 + (j - ny / 2)**2) / 90.0_dp)
            end do
        end do
    end subroutine

    subroutine step(sea, dt, dx)
        type(state), intent(inout) :: sea
        real(dp), intent(in) :: dt, dx
        real(dp), allocatable :: change(:, :)
        integer :: nx, ny

        nx = sea%nx
        ny = sea%ny
        sea%u(2:nx, :) = sea%u(2:nx, :) - gravity * dt / dx * (sea%h(2:nx, :) - sea%h(1:nx - 1, :))
        sea%v(:, 2:ny) = sea%v(:, 2:ny) - gravity * dt / dx * (sea%h(:, 2:ny) - sea%h(:, 1:ny - 1))
        allocate (change(nx, ny))
        change = 0
        change(1:nx - 1, :) = sea%u(2:nx, :) - sea%u(1:nx - 1, :)
        change(:, 1:ny - 1) = change(:, 1:ny - 1) + sea%v(:, 2:ny) - sea%v(:, 1:ny - 1)
        sea%h = sea%h - depth * dt / dx * change
        sea%time = sea%time + dt
        deallocate (change)
    end subroutine

    subroutine place(g, i, j, most)
        type(gauge), intent(inout) :: g
        integer, intent(in) :: i, j, most

        g%i = i
        g%j = j
        allocate (g%level(most))
    end subroutine

    subroutine watch(g, sea)
        type(gauge), intent(inout) :: g
        type(state), intent(in) :: sea

        g%count = g%count + 1
        g%level(g%count) = sea%h(g%i, g%j)
    end subroutine

    subroutine keep_frame(movie, sea)
        type(film), intent(inout) :: movie
        type(state), intent(in) :: sea

        movie%count = movie%count + 1
        movie%frames(movie%count)%time = sea%time
        allocate (movie%frames(movie%count)%h(sea%nx, sea%ny)) ! guilty
        movie%frames(movie%count)%h = sea%h
    end subroutine

    function energy(sea) result(total)
        type(state), intent(in) :: sea
        real(dp) :: total

        total = 0.5_dp * gravity * sum(sea%h**2) + 0.5_dp * depth * sum(sea%u**2 + sea%v**2)
    end function

end module

program ocean
    use sea_mod
    implicit none
    type(state) :: sea
    type(film), save :: movie
    type(gauge) :: gauges(8)
    integer :: n, g
    integer, parameter :: steps = 1100

    call start(sea, 130, 100)
    do g = 1, 8
        call place(gauges(g), 130 - g, 10 * g, steps)
    end do
    do n = 1, steps
        call step(sea, 0.5_dp, 100.0_dp)
        do g = 1, 8
            call watch(gauges(g), sea)
        end do
        if (mod(n, 2) == 0) call keep_frame(movie, sea)
    end do
    print '(i0, a, f10.3, a, f8.4)', movie%count, ' frames, energy ', energy(sea), ', highest ', maxval(gauges(3)%level)
end program
